/** One measured figure beside what it has to reach and what others reach. */
export interface Figure {
  name: string;
  figure: number;
  unit: string;
  goal: string;
  anchor: string;
}
