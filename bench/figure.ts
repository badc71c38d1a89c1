/** One measured figure, its target, and figures of other products. */
export interface Figure {
  name: string;
  figure: number;
  unit: string;
  goal: string;
  anchor: string;
}
