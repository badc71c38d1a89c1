/**
 * Writes the recordings in this folder: node test/recordings/make.ts. They are synthetic, modelled on public
 * ones: a household meter (one phase, separate date and time, '?' for missing values) and a three-phase
 * feeder (newest first, decimal commas). Deterministic, so that the files can be made again.
 */
import { writeFileSync } from 'node:fs';

/** mulberry32 */
const randomFrom = (seed: number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
const two = (number: number) => String(number).padStart(2, '0');

/**
 * One phase, 230 V, 40 A: intervals of 60 s, then 10 s, then 300 s; gaps, missing values and repeated rows.
 */
const household = () => {
  const random = randomFrom(11);
  const rows = ['Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity'];
  let at = Date.UTC(2007, 1, 1, 0, 0, 0);
  let high = 0;
  let load = 0;
  for (let row = 0; row < 1500; row += 1) {
    if (random() < 0.03) high = (random() - 0.4) * 90;
    if (random() < 0.04) load = random() < 0.6 ? 0 : 25 + 30 * random();
    high *= 0.97;
    const volts = 231 + high + 3 * (random() - 0.5);
    const amperes = Math.max(0.4, load + 4 * random());
    const when = new Date(at);
    const cells = [
      `${when.getUTCDate()}/${when.getUTCMonth() + 1}/${when.getUTCFullYear()}`,
      `${two(when.getUTCHours())}:${two(when.getUTCMinutes())}:${two(when.getUTCSeconds())}`,
      ((volts * amperes) / 1000).toFixed(3),
      (0.1 * random()).toFixed(3),
      volts.toFixed(2),
      amperes.toFixed(1),
    ];
    rows.push((random() < 0.01 ? [...cells.slice(0, 2), '?', '?', '?', '?'] : cells).join(';'));
    if (random() < 0.01) rows.push(rows.at(-1)!);
    at += row < 500 ? 60_000 : row < 1100 ? 10_000 : 300_000;
    if (random() < 0.005) at += 3_600_000 * random() * 4;
  }
  return rows;
};

/** Three phases, 240 V, 63 A, intervals of 60 s, then 900 s; currents diverge; the newest row comes first. */
const feeder = () => {
  const random = randomFrom(23);
  const rows: string[] = [];
  let at = Date.UTC(2019, 10, 1, 0, 0, 0);
  const apart = [0, 0, 0];
  const lift = [0, 0, 0];
  let load = 20;
  for (let row = 0; row < 1400; row += 1) {
    if (random() < 0.02) load = 6 + 60 * random();
    for (let phase = 0; phase < 3; phase += 1) {
      if (random() < 0.01) apart[phase] = (random() - 0.5) * 1.6;
      if (random() < 0.01) lift[phase] = (random() - 0.5) * 70;
      lift[phase]! *= 0.98;
    }
    const volts = lift.map((each) => 240 + each + 1.5 * (random() - 0.5));
    const amperes = apart.map((each) => Math.max(0.2, load * (1 + each) + random()));
    const neutral = Math.max(...amperes) - Math.min(...amperes);
    const factor = 0.97 - (row % 200 > 140 ? 0.16 : 0) - 0.02 * random();
    const kilowatts = (factor * volts.reduce((sum, each, phase) => sum + each * amperes[phase]!, 0)) / 1000;
    const when = new Date(at);
    const time = `${two(when.getUTCDate())}.${two(when.getUTCMonth() + 1)}.${when.getUTCFullYear()} ${two(when.getUTCHours())}:${two(when.getUTCMinutes())}`;
    const cells = [
      ...volts.map((each) => each.toFixed(1)),
      ...amperes.map((each) => each.toFixed(2)),
      neutral.toFixed(2),
      kilowatts.toFixed(3),
      factor.toFixed(3),
    ];
    rows.push([time, ...cells.map((each) => each.replace('.', ','))].join(';'));
    if (random() < 0.01) rows.push(rows.at(-1)!);
    at += row < 900 ? 60_000 : 900_000;
    if (random() < 0.004) at += 6 * 3_600_000;
  }
  return ['Timestamp;V1;V2;V3;I1;I2;I3;In;kW;PF', ...rows.reverse()];
};

for (const [name, rows] of [
  ['household', household()],
  ['feeder', feeder()],
] as const)
  writeFileSync(new URL(`./${name}.csv`, import.meta.url), `${rows.join('\n')}\n`);
