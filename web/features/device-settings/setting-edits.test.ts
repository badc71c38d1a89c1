import { expect, test } from 'vitest';
import { checkJson } from './custom-json.ts';
import { changedMeanwhile, changesOf, flawsOf } from './setting-edits.ts';
import type { Setting, Settings } from './settings.query.ts';

const setting = (key: string, reported: number, given: Partial<Setting> = {}) =>
  ({ key, n: 1, line_id: 1, reported, desired: null, state: 'none', drift: false, ...given }) as Setting;
const settings = (rows: Setting[]) =>
  ({
    type: 3,
    revision: 4,
    device: [],
    lines: [{ line_id: 1, n: 1, name: '', settings: rows }],
  }) as unknown as Settings;
const line = settings([
  setting('ov_w', 235),
  setting('ov_a', 264),
  setting('ov_trip', 275),
  setting('ov_t', 5),
  setting('il_trip', 30),
]);

test('a value out of its range, off its grid or not among the choices is marked', () => {
  expect(flawsOf(line, { '1/ov_w': 109 })).toEqual({ '1/ov_w': 'setting.range' });
  expect(flawsOf(line, { '1/ov_w': 240.5 })).toEqual({ '1/ov_w': 'setting.step' });
  expect(flawsOf(line, { '1/ov_t': 0.3 })).toEqual({});
  expect(flawsOf(line, { '1/il_trip': 50 })).toEqual({ '1/il_trip': 'setting.choice' });
  expect(flawsOf(line, { '1/ov_trip': 0 })).toEqual({});
});

test('limits in the wrong order are marked, by the values that the device should have', () => {
  expect(flawsOf(line, { '1/ov_w': 270 })).toEqual({ '1/ov_w': 'setting.order' });
  expect(flawsOf(line, { '1/ov_w': 270, '1/ov_a': 280 })).toEqual({});
  const waiting = settings([setting('ov_w', 235), setting('ov_a', 264, { desired: 290, state: 'pending' })]);
  expect(flawsOf(waiting, { '1/ov_w': 270 })).toEqual({});
});

test('only a different value is a change', () => {
  expect(changesOf(line, { '1/ov_w': 235, '1/ov_a': 260 })).toMatchObject([{ before: 264, after: 260 }]);
});

test('an edit shows what another user changed meanwhile', () => {
  const now = settings([setting('ov_w', 240), setting('ov_a', 270)]);
  expect(changedMeanwhile(line, now, { '1/ov_w': 230 }).map(({ key }) => key)).toEqual(['ov_w']);
  expect(changedMeanwhile(line, now, {})).toEqual([]);
});

test('an invalid custom object shows where it is invalid', () => {
  expect(checkJson('{"a": {"b": 1}}')).toEqual({ kind: 'object', value: { a: { b: 1 } } });
  expect(checkJson('[1]')).toEqual({ kind: 'notObject' });
  expect(checkJson('null')).toEqual({ kind: 'notObject' });
  expect(checkJson('{\n  "a": x\n}')).toEqual({ kind: 'broken', line: 2, column: 8 });
  expect(checkJson('{"a": [1, {"b": "c" "d"}]}')).toEqual({ kind: 'broken', line: 1, column: 21 });
  expect(checkJson('{"a": 1,}')).toEqual({ kind: 'broken', line: 1, column: 9 });
  expect(checkJson('{"a": 1} x')).toEqual({ kind: 'broken', line: 1, column: 10 });
  expect(checkJson('')).toMatchObject({ kind: 'broken', line: 1 });
});
