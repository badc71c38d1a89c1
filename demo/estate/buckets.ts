/** One row of a rollup table. */
export interface Rollup {
  bucket: number;
  samples: number;
  coveredSeconds: number;
  energy: number;
  powerMin: number;
  powerSum: number;
  powerMax: number;
  currentMax: number;
  voltageMin: number;
  voltageMax: number;
  leakageMax: number;
  temperatureMax: number;
  energyFirst: number;
  energyLast: number;
  firstAt: number;
  lastAt: number;
}

/** Sums samples, or finer rows, into buckets of one length and passes each on when the next begins. */
export class Buckets {
  readonly #startOf: (at: number) => number;
  readonly #give: (row: Rollup) => void;
  #row: Rollup | null = null;

  constructor(startOf: (at: number) => number, give: (row: Rollup) => void) {
    this.#startOf = startOf;
    this.#give = give;
  }
  add(part: Rollup): void {
    const bucket = this.#startOf(part.firstAt);
    if (this.#row?.bucket !== bucket) {
      this.flush();
      this.#row = { ...part, bucket };
      return;
    }
    const row = this.#row;
    row.samples += part.samples;
    row.coveredSeconds += part.coveredSeconds;
    row.energy += part.energy;
    row.powerSum += part.powerSum;
    if (part.powerMin < row.powerMin) row.powerMin = part.powerMin;
    if (part.powerMax > row.powerMax) row.powerMax = part.powerMax;
    if (part.currentMax > row.currentMax) row.currentMax = part.currentMax;
    if (part.voltageMin < row.voltageMin) row.voltageMin = part.voltageMin;
    if (part.voltageMax > row.voltageMax) row.voltageMax = part.voltageMax;
    if (part.leakageMax > row.leakageMax) row.leakageMax = part.leakageMax;
    if (part.temperatureMax > row.temperatureMax) row.temperatureMax = part.temperatureMax;
    row.energyLast = part.energyLast;
    row.lastAt = part.lastAt;
  }
  /** Adds the part of a step that belongs to the present bucket. */
  addEnergy(energy: number): void {
    if (this.#row) this.#row.energy += energy;
  }
  flush(): void {
    if (this.#row) this.#give(this.#row);
    this.#row = null;
  }
}
