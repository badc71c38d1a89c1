import { expect, test } from 'vitest';
import { channelsOf } from '#test/switches.ts';
import { judge, type Measured, type Verdict } from './evidence.ts';

const onePhase: Measured = { type: 3, poles: 1, nominalVoltage: 220 };
const fourPoles: Measured = { type: 4, poles: 4, nominalVoltage: 220 };
const threePoles: Measured = { ...fourPoles, poles: 3 };
const dead = { 'I.a': 0, 'I.b': 0, 'I.c': 0, 'I.n': 0, 'P.t': 0, 'P.a': 0, 'P.b': 0, 'P.c': 0 };
const live = { 'U.a': 230, 'U.b': 229, 'U.c': 231 };

type Row = [what: string, line: Measured, values: Record<string, number | null>, verdict: Verdict];
const opened: Row[] = [
  ['no current and no power', onePhase, { 'I.a': 0, 'P.t': 0 }, 'agrees'],
  ['current of 0.05 A, which is metering noise', onePhase, { 'I.a': 0.05 }, 'agrees'],
  ['current of 0.06 A', onePhase, { 'I.a': 0.06 }, 'contradicts'],
  ['current of 3.1 A', onePhase, { 'I.a': 3.1 }, 'contradicts'],
  ['current that flows backwards', onePhase, { 'I.a': -3.1 }, 'contradicts'],
  ['power of 3 kW without current', onePhase, { 'I.a': 0, 'P.t': 3000 }, 'contradicts'],
  ['power that flows backwards', onePhase, { 'I.a': 0, 'P.t': -3000 }, 'contradicts'],
  ['no value of the current', onePhase, { 'P.t': 0 }, 'silent'],
  ['no current in any conductor', fourPoles, dead, 'agrees'],
  ['8 A in the neutral', fourPoles, { ...dead, 'I.n': 8 }, 'contradicts'],
  ['no value of the neutral current that the line switches', fourPoles, { ...dead, 'I.n': null }, 'silent'],
  ['no neutral, which the line does not switch', threePoles, { ...dead, 'I.n': null }, 'agrees'],
  ['8 A in a neutral that the line does not switch', threePoles, { ...dead, 'I.n': 8 }, 'contradicts'],
  ['power in one phase', fourPoles, { ...dead, 'P.b': 500 }, 'contradicts'],
  ['no value of one phase', fourPoles, { ...dead, 'I.c': null }, 'silent'],
];
test.each(opened)('judges an open whose report shows %s', (_what, line, values, verdict) => {
  const channels = channelsOf(line.type, values);
  expect(judge(0, line, { position: 0, channels })).toBe(verdict);
  expect(judge(0, line, { position: 1, channels })).toBe('contradicts');
  expect(judge(0, line, { position: null, channels })).toBe(verdict === 'agrees' ? 'silent' : verdict);
});

const closed: Row[] = [
  ['voltage in every phase', fourPoles, live, 'agrees'],
  ['no voltage in one phase', fourPoles, { ...live, 'U.b': 90 }, 'contradicts'],
  ['no value of one phase', fourPoles, { ...live, 'U.b': null }, 'silent'],
];
test.each(closed)('judges a close whose report shows %s', (_what, line, values, verdict) => {
  const channels = channelsOf(line.type, values);
  expect(judge(1, line, { position: 1, channels })).toBe(verdict);
  expect(judge(1, line, { position: null, channels })).toBe('silent');
});
