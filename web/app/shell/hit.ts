/** One entry of the palette. */
export interface Hit {
  key: string;
  title: string;
  note: string;
  /** Its target, or its action. */
  path?: string;
  run?: () => void;
}
