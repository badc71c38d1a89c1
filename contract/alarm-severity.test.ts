import { expect, it } from 'vitest';
import { alarmCatalogue, severityOf } from './alarm-catalogue.ts';

it('makes only alarms critical that need action within minutes, and no early warning', () => {
  const critical = alarmCatalogue.filter(({ code }) => severityOf(code, 2) === 1).map(({ code }) => code);
  expect(critical).toEqual([104, 301, 401, 402, 501, 502]);
  for (const { code } of alarmCatalogue) expect(severityOf(code, 1), String(code)).toBeGreaterThanOrEqual(2);
});
