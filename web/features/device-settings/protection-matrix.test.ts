import { expect, it } from 'vitest';
import { protectionsOf } from './protection-matrix.ts';
import type { Setting } from './settings.query.ts';

const setting = (key: string, role: string, value: number, more: Partial<Setting> = {}): Setting => ({
  ...{ key, n: 1, line_id: 7, name: key, meaning: '', role, unit: 'V', min: 0, max: 400, step: 1 },
  ...{ zero_is_off: false, choices: null, default: value, percent_of: null, desired: null, reported: value },
  ...{ state: 'none', drift: false, reason: null, message: null, operator: null, wished_at: null },
  ...{ sent_at: null, settled_at: null },
  ...more,
});
const lineOf = (n: number, settings: Setting[]) => ({
  ...{ line_id: n, n, name: '' },
  settings: settings.map((each) => ({ ...each, n })),
});

it('puts the stages of a protection side by side, line by line, and leaves other parameters out', () => {
  const settings = [
    setting('il_a', 'alarm', 30),
    setting('in', 'rating', 40),
    setting('ov_w', 'warn', 235),
    setting('ov_a', 'alarm', 264),
    setting('ov_t', 'delay', 5),
    setting('ov_trip', 'trip', 275),
    setting('ar_t', 'delay', 60),
  ];
  const found = protectionsOf({ lines: [lineOf(1, settings), lineOf(2, settings)] });
  expect(found.map(({ code }) => code)).toEqual([101, 301]);
  expect([...found[0]!.lines.keys()]).toEqual([1, 2]);
  expect(Object.keys(found[0]!.lines.get(2)!).sort()).toEqual(['alarm', 'delay', 'trip', 'warn']);
});

it('marks what differs from the default, by what the device is to work with', () => {
  const reported = setting('ov_w', 'warn', 235, { default: 230 });
  const waiting = setting('ov_a', 'alarm', 264, { desired: 250, state: 'pending' });
  const [overvoltage] = protectionsOf({
    lines: [lineOf(1, [reported, waiting, setting('ov_t', 'delay', 5)])],
  });
  const { warn, alarm, delay } = overvoltage!.lines.get(1)!;
  expect([warn?.value, alarm?.value, delay?.value]).toEqual([235, 250, 5]);
  expect([warn?.isOwn, alarm?.isOwn, delay?.isOwn]).toEqual([true, true, false]);
});

it('does not take a value that was never reported for one of its own', () => {
  const unknown = setting('ov_w', 'warn', 235, { reported: undefined, desired: undefined });
  const [overvoltage] = protectionsOf({ lines: [lineOf(1, [unknown])] });
  expect(overvoltage!.lines.get(1)!.warn).toMatchObject({ value: null, isOwn: false });
});
