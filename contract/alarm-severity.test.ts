import { expect, it } from 'vitest';
import { alarmCatalogue, severityOf } from './alarm-catalogue.ts';

it('only alarms that need action within minutes are critical, and no early warning is', () => {
  const critical = alarmCatalogue.filter(({ code }) => severityOf(code, 2) === 1).map(({ code }) => code);
  expect(critical).toEqual([104, 301, 401, 402, 501, 502]);
  for (const { code } of alarmCatalogue) expect(severityOf(code, 1), String(code)).toBeGreaterThanOrEqual(2);
});
