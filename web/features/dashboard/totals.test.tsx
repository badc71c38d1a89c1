import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { Totals } from './Totals.tsx';
import { dashboard } from './words/en-US.ts';

afterEach(cleanup);

const census = {
  ...{ projects: 1, devices: 2, unprocessed: 0, unprocessed_alarms: 0, unprocessed_early_warnings: 0 },
  ...{ month_processed: 0, month_raised: 0, month_handling_rate: null, month_from: '2026-11-01T00:00:00Z' },
  ...{ lines: 0, lines_closed: 0, lines_unknown: 0, load_w: 0, energy_today_kwh: 0, energy_yesterday_kwh: 0 },
};

test.each([
  [0.5, '50% online'],
  [null, null],
])('with the online rate %s the overview shows %s', async (online_rate, text) => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate } },
  });
  showAt(<Totals />);
  await screen.findByText(dashboard.totals.devices);
  expect(screen.queryByText(/online/)?.textContent ?? null).toBe(text);
});

test('each figure leads to the screen that explains it', async () => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate: 1 } },
  });
  showAt(<Totals />);
  await screen.findByText(dashboard.totals.devices);
  const targets = [...document.querySelectorAll('.figure')].map((figure) => [
    figure.querySelector('dt')!.textContent,
    figure.querySelector('dd > a')?.getAttribute('href'),
  ]);
  expect(Object.fromEntries(targets)).toEqual({
    [dashboard.totals.projects]: '/home/projectlist',
    [dashboard.totals.devices]: '/home/devicelist',
    [dashboard.totals.unprocessed]: '/home/alarmList?status=unprocessed',
    [dashboard.totals.handling]: expect.stringContaining('/home/alarmList?status=processed&from='),
    [dashboard.totals.lines]: '/home/projectlist',
    [dashboard.totals.load]: '/home/datascreen?by=load',
    [dashboard.totals.energy]: '/home/datascreen?by=energy',
  });
});
