import type pg from 'pg';
import { CopyRows } from './copy.ts';
import { localDayStart } from './load.ts';
import { historyDays, quarterMs } from './walk.ts';

const dayMs = 86_400_000;
const quarters = (historyDays + 2) * 96;
const quarterHours = 0.25;
const columns = [
  'project_id',
  'part_id',
  'bucket',
  'lines',
  'covered_s',
  'energy_kwh',
  'energy_flags',
  'power_w',
];

/** Energy of a project (part 0) and its parts for each quarter of an hour. */
export class LoadSums {
  readonly #from: number;
  readonly #parts = new Map<
    number,
    { energy: Float64Array; covered: Float64Array; lines: Int32Array<ArrayBuffer> }
  >();

  constructor(now: number) {
    this.#from = localDayStart(now) - historyDays * dayMs;
  }
  /** A span of several quarters is divided evenly among them. */
  add(part: number, at: number, spanMs: number, coveredSeconds: number, energy: number): void {
    const sums = this.#parts.get(part) ?? {
      energy: new Float64Array(quarters),
      covered: new Float64Array(quarters),
      lines: new Int32Array(quarters),
    };
    this.#parts.set(part, sums);
    const count = spanMs / quarterMs;
    const first = (at - this.#from) / quarterMs;
    for (let index = first; index < first + count; index++) {
      sums.energy[index]! += energy / count;
      sums.covered[index]! += coveredSeconds / count;
      sums.lines[index]! += 1;
    }
  }
  async send(client: pg.ClientBase, projectId: number): Promise<void> {
    const rows = new CopyRows();
    for (const [part, { energy, covered, lines }] of this.#parts)
      for (let index = 0; index < quarters; index++) {
        const counted = lines[index]!;
        if (counted === 0) continue;
        rows
          .row(columns.length)
          .int(projectId)
          .int(part)
          .instant(this.#from + index * quarterMs)
          .int(counted)
          .double(covered[index]!)
          .double(energy[index]!)
          .small(0)
          .double((energy[index]! / quarterHours) * 1000);
      }
    await rows.send(client, 'load_quarter', columns);
  }
}
