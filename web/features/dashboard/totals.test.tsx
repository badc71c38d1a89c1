import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { EnergyOfSite, LoadOfSite, type Site } from './site-figures.tsx';
import { Totals } from './Totals.tsx';
import { dashboard } from './words/en-US.ts';

afterEach(cleanup);

const census = {
  ...{ projects: 1, devices: 2, unprocessed: 0, unprocessed_alarms: 0, unprocessed_early_warnings: 0 },
  ...{ month_processed: 0, month_raised: 0, month_handling_rate: null, month_from: '2026-11-01T00:00:00Z' },
  ...{ lines: 0, lines_closed: 0, lines_unknown: 0, load_w: 0, energy_today_kwh: 0, energy_yesterday_kwh: 0 },
};

const loaded = () =>
  waitFor(() => expect(document.querySelector(':not([aria-busy]) > .figures')).not.toBeNull());

test('a figure that is not loaded yet is a dash without a link', async () => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate: 1 } },
  });
  showAt(<Totals />);
  await screen.findByText(dashboard.totals.devices);
  expect(figureOf(dashboard.totals.projects)).toBe('—');
  expect(document.querySelector('.figures a')).toBeNull();
  await loaded();
  expect(figureOf(dashboard.totals.projects)).toBe('1');
});

test.each([
  [0.5, '50% online'],
  [null, null],
])('with the online rate %s the overview shows %s', async (online_rate, text) => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate } },
  });
  showAt(<Totals />);
  await loaded();
  expect(screen.queryByText(/online/)?.textContent ?? null).toBe(text);
});

test('each figure leads to the screen that explains it', async () => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate: 1 } },
  });
  showAt(<Totals />);
  await loaded();
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

const figureOf = (label: string) =>
  screen.getByText(label, { selector: 'dt' }).parentElement!.querySelector('dd')!.textContent;
const unmeasured = { load_w: null, energy_today_kwh: null, energy_yesterday_kwh: null };

test('load and energy that nobody has measured are shown as a dash, not as 0', async () => {
  await setStage({
    words: { dashboard, common },
    replies: { [dashboardEndpoints.census.path]: { ...census, online_rate: 1, ...unmeasured } },
  });
  showAt(<Totals />);
  await loaded();
  expect(figureOf(dashboard.totals.load)).toBe('—');
  expect(figureOf(dashboard.totals.energy)).toBe(`—${dashboard.totals.yesterday} —`);
});

test.each([
  ['nobody has measured', { ...unmeasured, energy_same_time_kwh: null }, /^—$/, /^—$/],
  [
    'that yesterday has no reading',
    { load_w: 0, energy_today_kwh: 3, energy_same_time_kwh: null },
    /^0\.0.*0%/,
    /^3.?kWh$/,
  ],
  ['that is none', { load_w: 0, energy_today_kwh: 0, energy_same_time_kwh: 2 }, /^0\.0.*0%/, /^0.*−100%/],
])('a site shows a figure %s for what it is', async (_name, figures, load, energy) => {
  await setStage({ words: { dashboard, common }, replies: {} });
  const site = { project_id: 1, contract_kw: 4, ...figures } as Site;
  showAt(
    <>
      <p data-testid="load">
        <LoadOfSite site={site} />
      </p>
      <p data-testid="energy">
        <EnergyOfSite site={site} />
      </p>
    </>,
  );
  const text = (id: string) => screen.getByTestId(id).textContent;
  await screen.findByTestId('load');
  expect(text('load')).toMatch(load);
  expect(text('energy')).toMatch(energy);
});
