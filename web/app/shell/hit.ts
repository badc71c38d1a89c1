/** One line of the palette. */
export interface Hit {
  key: string;
  title: string;
  note: string;
  /** Where it leads, or what it does. */
  path?: string;
  run?: () => void;
}
