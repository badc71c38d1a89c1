import { expect, it } from 'vitest';
import { protectionsOf } from './protection-matrix.ts';
import type { Enable, PlatformLimit, Setting } from './settings.query.ts';

const setting = (key: string, role: string, value: number, more: Partial<Setting> = {}): Setting => ({
  ...{ key, n: 1, line_id: 7, name: key, meaning: '', role, unit: 'V', min: 0, max: 400, step: 1 },
  ...{ zero_is_off: false, choices: null, default: value, percent_of: null, desired: null, reported: value },
  ...{ state: 'none', drift: false, reason: null, message: null, operator: null, wished_at: null },
  ...{ sent_at: null, settled_at: null },
  ...more,
});
const lineOf = (n: number, settings: Setting[], platform: PlatformLimit[] = []) => ({
  ...{ line_id: n, n, name: '', revision: 1, platform },
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
  expect(Object.keys(found[0]!.lines.get(2)!.stages).sort()).toEqual(['alarm', 'delay', 'trip', 'warn']);
});

it('marks values that differ from the default, by the value that the device should have', () => {
  const reported = setting('ov_w', 'warn', 235, { default: 230 });
  const waiting = setting('ov_a', 'alarm', 264, { desired: 250, state: 'pending' });
  const [overvoltage] = protectionsOf({
    lines: [lineOf(1, [reported, waiting, setting('ov_t', 'delay', 5)])],
  });
  const { warn, alarm, delay } = overvoltage!.lines.get(1)!.stages;
  expect([warn?.value, alarm?.value, delay?.value]).toEqual([235, 250, 5]);
  expect([warn?.isOwn, alarm?.isOwn, delay?.isOwn]).toEqual([true, true, false]);
});

it('does not mark a value as custom if the device never reported it', () => {
  const unknown = setting('ov_w', 'warn', 235, { reported: undefined, desired: undefined });
  const [overvoltage] = protectionsOf({ lines: [lineOf(1, [unknown])] });
  expect(overvoltage!.lines.get(1)!.stages.warn).toMatchObject({ value: null, isOwn: false });
});

it('puts the limits of the platform and the switch of the function beside the values of the device', () => {
  const limit = (key: string): PlatformLimit => ({
    ...{ key, name: key, meaning: '', role: 'deadband', unit: 'V', min: 0.5, max: 12, step: 0.5 },
    ...{ zero_is_off: false, own: null, inherited: 4 },
  });
  const enables = [
    { key: 'prot_ov', trips: 101 },
    { key: 'prot_pl', trips: 103 },
    { key: 'led', trips: null },
  ] as Enable[];
  const found = protectionsOf(
    { lines: [lineOf(1, [setting('ov_w', 'warn', 235)], [limit('ov_d'), limit('ilt_w')])] },
    enables,
  );
  expect(found.map(({ code, enable }) => [code, enable?.key])).toEqual([
    [101, 'prot_ov'],
    [103, 'prot_pl'],
    [304, undefined],
  ]);
  expect(found.map(({ lines }) => lines.get(1)?.platform.map(({ key }) => key))).toEqual([
    ['ov_d'],
    undefined,
    ['ilt_w'],
  ]);
});
