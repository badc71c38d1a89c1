import { expect, test } from 'vitest';
import { askedBy, rangeOfPreset, scaleFor, statisticsSearch, stepped } from './search.ts';

test('presets are calendar ranges or full days, counted from the project’s present day', () => {
  expect(rangeOfPreset('today', '2026-11-22')).toMatchObject({ period: 'day', date: undefined });
  expect(rangeOfPreset('yesterday', '2026-03-01')).toMatchObject({ period: 'day', date: '2026-02-28' });
  expect(rangeOfPreset('lastMonth', '2026-03-31')).toMatchObject({ period: 'month', date: '2026-02-28' });
  expect(rangeOfPreset('lastYear', '2026-11-22')).toMatchObject({ period: 'year', date: '2025-11-22' });
  expect(rangeOfPreset('last7', '2026-11-22')).toMatchObject({
    period: 'custom',
    first_day: '2026-11-15',
    last_day: '2026-11-21',
  });
});

test('the step to the next period follows the calendar', () => {
  expect(stepped('month', '2026-01-01', 1)).toBe('2026-02-01');
  expect(stepped('week', '2026-11-16', -1)).toBe('2026-11-09');
});

test('an address selects the narrowest target that it names', () => {
  const search = statisticsSearch.parse({ project_id: '3', line_id: '9', period: 'day', date: '2026-11-01' });
  expect(askedBy(search, undefined)).toEqual({ line_id: 9, period: 'day', date: '2026-11-01' });
  expect(askedBy(statisticsSearch.parse({ period: 'wrong' }), 7)).toEqual({ project_id: 7, period: 'month' });
});

test('large numbers are shown in a larger unit', () => {
  const sizes = [9_999, 10_000, 100_000, 10_000_000];
  expect(sizes.map((kwh) => scaleFor(kwh, 'zh-CN'))).toEqual(['0', '3', '4', '6']);
  expect(sizes.map((kwh) => scaleFor(kwh, 'en-US'))).toEqual(['0', '3', '3', '6']);
  expect(sizes.map((kwh) => scaleFor(kwh, 'ru-RU'))).toEqual(['0', '3', '3', '6']);
});
