interface DemoScene {
  scene: string;
  types: number[];
  codes: number[];
  seconds: number | null;
}
export interface DemoScenes {
  list: DemoScene[];
  playing: { number: string; scene: string }[];
}
/** The running simulation of the demo estate; `demo/process.ts` is one. */
export interface Demo {
  /** The scenes for a device, or all of them, and the scene that is playing. */
  scenes(number: string | null): Promise<DemoScenes>;
  play(number: string, scene: string, line: number | null): Promise<void>;
  stop(number: string): Promise<void>;
}
/** The simulation refused: the device is not simulated, or the scene does not fit it. */
export class DemoRefusal extends Error {}
/** The simulation process is not running. */
export class DemoAway extends Error {}
