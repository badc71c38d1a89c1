/** Figures of energy and load: the same on the screen, in its chart, in the .xlsx, and from SQL over the registers. */
import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lineChannels } from '#contract/telemetry.ts';
import { makeUser } from '../factories.ts';
import { chartColumn, column, expectShown, exported, numberOf, serious, soon } from './figures.ts';
import { type House, openDemoHouse } from './house.ts';
import { type MeteredProject, meteredProject } from './metered-project.ts';

let house: House;
let project: MeteredProject;
let page: Page;
beforeAll(async () => {
  house = await openDemoHouse();
  project = await meteredProject(house);
  const { id } = await makeUser(house.db, {
    role: 3,
    username: 'metered-works',
    projects: [{ id: project.id }],
  });
  page = await house.pageOf(id);
});
afterAll(() => house?.stop());

const dayMs = 86_400_000;
const address = (screen: string, query = '') =>
  `${house.url}/home/configinfo/${screen}?project_id=${project.id}&period=day&date=${project.day}&unit=0${query}`;

/** By hour, what went through the registers of lines: their growth, and after a reset what they show. */
const kwhByHour = async (lineIds: readonly number[], daysBefore = 0): Promise<number[]> => {
  const [from, until] = [project.from, project.until].map(
    (at) => new Date(at.getTime() - daysBefore * dayMs),
  );
  const { rows } = await sql<{ kwh: number }>`
    with steps as (
      select at, energy, lag(energy) over (partition by line_id order by at) as before
      from readings where line_id = any(${lineIds}::int[]) and at >= ${from}::timestamptz and at <= ${until}::timestamptz)
    select date_bin('1 hour', at - interval '1 second', ${from}::timestamptz) as hour,
      sum(case when energy < before then energy else energy - before end) as kwh
    from steps where before is not null group by 1 order by 1`.execute(house.db);
  return rows.map(({ kwh }) => kwh);
};
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const figure = (name: string): Promise<string> =>
  page
    .locator('.energy-figures div', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .evaluate((cell) => cell.firstChild?.textContent ?? '');

it('energy details have them for the project, its devices, and its hours', async () => {
  const hours = await kwhByHour(project.lineIds);
  expect(hours).toHaveLength(24);
  await page.goto(address('energydetail', '&split=device'));
  await soon(async () => expectShown(await column(page, 'Energy over time', 1), hours, 'table'));
  expectShown([numberOf(await figure('Energy'))], [sum(hours)], 'figure');
  const devices = await Promise.all(
    project.devices.map(async ({ lines }) => sum(await kwhByHour(lines.map(({ id }) => id)))),
  );
  expectShown(
    (await column(page, 'What it consists of', 1)).toSorted((a, b) => a! - b!),
    devices.toSorted((a, b) => a - b),
    'devices',
  );
  expectShown(await chartColumn(page, 'Energy over time', 1), hours, 'chart');
  const { values } = await exported(page);
  expectShown(values('Energy (kWh)'), [...hours, sum(hours)], '.xlsx');
});

it('energy details lead down to the registers behind a figure, of a line whose register was reset too', async () => {
  const { reset } = project;
  const hours = await kwhByHour([reset.id]);
  const { rows: registers } = await sql<{ first: number; last: number }>`
    select date_bin('1 hour', at, ${project.from}::timestamptz) as hour,
      (array_agg(energy order by at))[1] as first, (array_agg(energy order by at desc))[1] as last
    from readings where line_id = ${reset.id} and at >= ${project.from} and at < ${project.until}
    group by 1 order by 1`.execute(house.db);
  await page.goto(address('energydetail', '&split=device'));
  const members = page.getByRole('region', { name: 'What it consists of', exact: true });
  await members.getByRole('button', { name: project.devices[0]!.name }).click();
  await page.waitForURL(/device_id=/);
  await members.getByRole('button', { name: reset.name }).click();
  await page.waitForURL(/line_id=/);
  const source = page.getByRole('region', { name: 'How this was computed', exact: true });
  await source.waitFor();
  const texts = (place: number) =>
    source
      .locator('tbody tr')
      .evaluateAll(
        (rows, at) =>
          rows.map((row) => (row as HTMLTableRowElement).cells[at]?.firstChild?.textContent ?? ''),
        place,
      );
  await soon(async () => expectShown((await texts(5)).map(numberOf), hours, 'energy'));
  expectShown(
    (await texts(1)).map(numberOf),
    registers.map(({ first }) => first),
    'first register value',
  );
  expectShown(
    (await texts(2)).map(numberOf),
    registers.map(({ last }) => last),
    'last register value',
  );
  expect((await texts(7)).filter((note) => note.includes('Register reset'))).toHaveLength(1);
  expectShown(await chartColumn(page, 'Energy over time', 1), hours, 'chart');
  expect(await serious(page)).toEqual([]);
});

it('electricity statistics have them against the day before, by tariff band, by line', async () => {
  const [hours, before] = await Promise.all([kwhByHour(project.lineIds), kwhByHour(project.lineIds, 1)]);
  const lines = await Promise.all(project.lineIds.map(async (id) => sum(await kwhByHour([id]))));
  await page.goto(address('epstatistics', '&ranking=line'));
  await soon(async () =>
    expectShown(
      await column(page, 'Ranking and share', 2),
      lines.toSorted((a, b) => b - a),
      'ranking',
    ),
  );
  expectShown([numberOf(await figure('Energy'))], [sum(hours)], 'figure');
  const bands = await column(page, 'By tariff band', 1);
  expect(bands.length).toBeGreaterThan(1);
  expect(sum(bands.map((kwh) => kwh!))).toBeCloseTo(sum(hours), 1);
  const chart = 'Against the period before and the year before';
  expectShown(await chartColumn(page, chart, 1), hours, 'chart');
  const { values } = await exported(page);
  expectShown(values('Energy (kWh)'), [...hours, sum(hours)], '.xlsx');
  expectShown(values('Period before (kWh)'), [...before, sum(before)], '.xlsx, period before');
  expect(await serious(page)).toEqual([]);
});

it('load statistics have them by quarter of an hour, with the extremes of the day', async () => {
  const power = lineChannels[3].indexOf('P.t') + 1;
  const { rows } = await sql<{ watts: number }>`
    select sum(channels[${sql.lit(power)}]) as watts from readings
    where line_id = any(${project.lineIds}::int[]) and at >= ${project.from} and at < ${project.until}
    group by at order by at`.execute(house.db);
  const watts = rows.map((row) => row.watts);
  expect(watts).toHaveLength(96);
  const kilo = (values: readonly number[]) => values.map((value) => value / 1000);
  await page.goto(address('loadstatistics', '&compare=previous'));
  const extremes = [Math.max(...watts), sum(watts) / watts.length, Math.min(...watts)];
  await soon(async () =>
    expectShown(
      (await Promise.all(['Highest load', 'Mean load', 'Lowest load'].map(figure))).map(numberOf),
      kilo(extremes),
      'figures',
    ),
  );
  const drawn = await chartColumn(page, 'Load curve', 1);
  expect(drawn.length).toBeGreaterThan(40);
  expectShown(drawn, kilo(watts.slice(0, drawn.length)), 'chart');
  const { values } = await exported(page);
  expectShown(values('Mean load (W)'), watts, '.xlsx');
  expect(await serious(page)).toEqual([]);
});
