import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { FurnishedLine } from './devices.ts';
import { blankMeasured, channelsOf, measure, nominalVoltage } from './line.ts';
import { ambientAt, loadShare } from './load.ts';

const shownIn: Record<number, readonly string[]> = {
  101: ['U.a', 'out.U.a'],
  102: ['U.a', 'out.U.a'],
  103: ['U.a', 'out.U.a'],
  109: ['U.a', 'out.U.a'],
  201: ['I.a', 'out.I.a'],
  202: ['P.t'],
  204: ['I.n', 'out.I.n'],
  205: ['I.a'],
  301: ['IL'],
  302: ['IL'],
  401: ['T.l'],
  402: ['T.m', 'T.a'],
  403: ['T.c'],
  602: ['out.HI.a'],
};
/** Values of the line at an instant, nested as in a message, with the value that caused the alarm. */
export const snapshotAt = (
  type: DeviceType,
  line: FurnishedLine,
  at: number,
  code: number,
  value: number | null,
): Record<string, unknown> => {
  const measured = blankMeasured();
  const source = [nominalVoltage, nominalVoltage, nominalVoltage] as const;
  const around = { ambient: ambientAt(at), humidity: 62, source, hertz: 50 };
  measure(measured, line.nature, around, line.nature.watts * loadShare(line.profile, at, 0), true);
  const names = lineChannels[type];
  const values = channelsOf(type, measured);
  const alarming = shownIn[code]?.find((name) => names.includes(name));
  if (alarming !== undefined && value !== null) values[names.indexOf(alarming)] = value;
  const tree: Record<string, unknown> = {};
  names.forEach((name, index) => {
    const parts = name.split('.');
    let node = tree;
    for (const part of parts.slice(0, -1)) {
      const inner = (node[part] ?? {}) as Record<string, unknown>;
      node[part] = inner;
      node = inner;
    }
    node[parts.at(-1)!] = values[index];
  });
  return tree;
};
