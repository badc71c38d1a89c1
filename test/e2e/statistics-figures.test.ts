/** Figures of energy and load: the same on the screen, in its chart, in the .xlsx, and from SQL over the registers. */
import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TariffContent } from '#contract/tariffs.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { systemClock } from '#server/core/clock.ts';
import { rebuildDays } from '#server/rollups/rebuild.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import { patienceMs } from '../patience.ts';
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

/** Energy of lines by hour, from their registers: the increase, or after a reset the new value. */
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
const figure = (name: string, of = page): Promise<string> =>
  of
    .locator('.energy-figures div', { has: of.getByText(name, { exact: true }) })
    .locator('dd')
    .evaluate((cell) => cell.firstChild?.textContent ?? '');

it('energy details show the exact figures of the project, its devices and its hours', async () => {
  const hours = await kwhByHour(project.lineIds);
  expect(hours).toHaveLength(24);
  await page.goto(address('energydetail', '&split=device'));
  await soon(async () => expectShown(await column(page, 'Energy over time', 1), hours, 'table'));
  expectShown([numberOf(await figure('Energy'))], [sum(hours)], 'figure');
  const devices = await Promise.all(
    project.devices.map(async ({ lines }) => sum(await kwhByHour(lines.map(({ id }) => id)))),
  );
  expectShown(
    (await column(page, 'Breakdown', 1)).toSorted((a, b) => a! - b!),
    devices.toSorted((a, b) => a - b),
    'devices',
  );
  expectShown(await chartColumn(page, 'Energy over time', 1), hours, 'chart');
  const { values } = await exported(page);
  expectShown(values('Energy (kWh)'), [...hours, sum(hours)], '.xlsx');
});

it('energy details lead to the registers behind a figure, also of a line whose register was reset', async () => {
  const { reset } = project;
  const hours = await kwhByHour([reset.id]);
  const { rows: registers } = await sql<{ first: number; last: number }>`
    select date_bin('1 hour', at, ${project.from}::timestamptz) as hour,
      (array_agg(energy order by at))[1] as first, (array_agg(energy order by at desc))[1] as last
    from readings where line_id = ${reset.id} and at >= ${project.from} and at < ${project.until}
    group by 1 order by 1`.execute(house.db);
  await page.goto(address('energydetail', '&split=device'));
  const members = page.getByRole('region', { name: 'Breakdown', exact: true });
  await members.getByRole('button', { name: project.devices[0]!.name }).click();
  await page.waitForURL(/device_id=/);
  await members.getByRole('button', { name: reset.name }).click();
  await page.waitForURL(/line_id=/);
  const source = page.getByRole('region', { name: 'How this was calculated', exact: true });
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

it('electricity statistics show the exact figures against the day before, by tariff band and by line', async () => {
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
  const chart = 'Compared with the previous period and the year before';
  expectShown(await chartColumn(page, chart, 1), hours, 'chart');
  const { values } = await exported(page);
  expectShown(values('Energy (kWh)'), [...hours, sum(hours)], '.xlsx');
  expectShown(values('Previous period (kWh)'), [...before, sum(before)], '.xlsx, period before');
  expect(await serious(page)).toEqual([]);
});

it('load statistics show the exact figures by quarter of an hour, with the extremes of the day', async () => {
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
      (await Promise.all(['Highest load', 'Mean load', 'Lowest load'].map((name) => figure(name)))).map(
        numberOf,
      ),
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

/** A line in Berlin with a different energy in each quarter of an hour of the last complete year. */
const yearInBerlin = async () => {
  const zone = 'Europe/Berlin';
  const year = new Date().getUTCFullYear() - 1;
  const { id } = await makeProject(house.db, { name: 'Works in Berlin', time_zone: zone });
  const device = await makeDevice(house.db, { project_id: id, type: 3, lines: 1 });
  const line = device.lines[0]!.id;
  await sql`update devices set upload_seconds = 900, bound_at = ${`${year}-01-01T00:00:00Z`}::timestamptz - interval '1 day'
    where id = ${device.id}`.execute(house.db);
  for (const [table, step] of [
    ['rollup_quarter', '15 minutes'],
    ['rollup_hour', '1 hour'],
  ] as const)
    await sql`
      insert into ${sql.table(table)} (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_min, power_avg,
        power_max, first_at)
      select ${line}, min(at), count(*), 900 * count(*), sum(kwh), 0, 100, 900, 4000, min(at)
      from (select at, 1 + (extract(epoch from at)::bigint / 900 * 7919 % 1000) / 100.0 as kwh
        from generate_series(${`${year}-01-01`}::timestamp at time zone ${zone},
          ${`${year + 1}-01-01`}::timestamp at time zone ${zone} - interval '1 second', interval '15 minutes') at) quarters
      group by date_bin(${step}::interval, at, 'epoch')`.execute(house.db);
  await rebuildDays(house.db, id);
  const rollups = createRollups({ pool: house.pool, clock: systemClock });
  await vi.waitFor(
    async () => {
      await rollups.round();
      const { rows } = await sql<{ waiting: number }>`
        select count(*) as waiting from rollup_rebuild where line_id = ${line}`.execute(house.db);
      expect(rows[0]!.waiting).toBe(0);
    },
    { timeout: 2 * patienceMs, interval: 200 },
  );
  await rollups.stop();
  /** Energy by local month, day or hour. */
  const kwhBy = async (unit: 'month' | 'day' | 'hour', from: string, length: string): Promise<number[]> => {
    const { rows } = await sql<{ kwh: number }>`
      select sum(energy_kwh) as kwh from (
        select date_trunc(${unit}, bucket, ${zone}) as at, energy_kwh from rollup_quarter where line_id = ${line}
          and bucket >= ${from}::timestamp at time zone ${zone}
          and bucket < (${from}::timestamp + ${length}::interval) at time zone ${zone}) quarters
      group by at order by at`.execute(house.db);
    return rows.map(({ kwh }) => kwh);
  };
  /** The last Sunday of a month, on which the clocks are changed. */
  const changeIn = (month: number): string => {
    const last = new Date(Date.UTC(year, month, 0));
    last.setUTCDate(last.getUTCDate() - last.getUTCDay());
    return last.toISOString().slice(0, 10);
  };
  return { id, device: device.id, year, kwhBy, spring: changeIn(3), autumn: changeIn(10) };
};

/** A tariff with one price at all times. */
const allDay = (currency: string, price: number): TariffContent => ({
  currency,
  co2_kg_per_kwh: null,
  holidays: [],
  seasons: [
    {
      name: 'Year',
      from: '01-01',
      to: '12-31',
      prices: { sharp: null, peak: null, flat: price, valley: null },
      days: [
        {
          weekdays: [1, 2, 3, 4, 5, 6, 7],
          holidays: true,
          periods: [{ from: '00:00', to: '24:00', band: 'flat' }],
        },
      ],
    },
  ],
});

describe('a device in Berlin', () => {
  let berlin: Awaited<ReturnType<typeof yearInBerlin>>;
  let reader: Page;
  beforeAll(async () => {
    berlin = await yearInBerlin();
    reader = await house.pageOf(house.admin);
  });
  it.each([
    ['months of a year', 'year', 12],
    ['days of a month with a change of the clocks', 'month', 31],
    ['hours of a day of 23 hours', 'spring', 23],
    ['hours of a day of 25 hours', 'autumn', 25],
  ] as const)(
    'the figures of %s are the same on screen, in the chart, in the .xlsx and by SQL',
    async (_, which, length) => {
      const { id, device, year, kwhBy } = berlin;
      const [period, date, wanted] = {
        year: ['year', `${year}-06-01`, () => kwhBy('month', `${year}-01-01`, '1 year')] as const,
        month: ['month', `${year}-10-01`, () => kwhBy('day', `${year}-10-01`, '1 month')] as const,
        spring: ['day', berlin.spring, () => kwhBy('hour', berlin.spring, '1 day')] as const,
        autumn: ['day', berlin.autumn, () => kwhBy('hour', berlin.autumn, '1 day')] as const,
      }[which];
      const kwh = await wanted();
      expect(kwh).toHaveLength(length);
      for (const [screen, chart] of [
        ['energydetail', 'Energy over time'],
        ['epstatistics', 'Compared with the previous period and the year before'],
      ] as const) {
        await reader.goto(
          `${house.url}/home/configinfo/${screen}?project_id=${id}&device_id=${device}&period=${period}&date=${date}&unit=0`,
        );
        await soon(async () =>
          expectShown([numberOf(await figure('Energy', reader))], [sum(kwh)], `${screen}, figure`),
        );
        if (screen === 'energydetail') expectShown(await column(reader, chart, 1), kwh, 'table');
        expectShown(await chartColumn(reader, chart, 1), kwh, `${screen}, chart`);
        const { values } = await exported(reader);
        expectShown(values('Energy (kWh)'), [...kwh, sum(kwh)], `${screen}, .xlsx`);
      }
    },
  );

  it('shows the costs of a year separately for each currency when the tariff changes its currency', async () => {
    const { id, device, year, kwhBy } = berlin;
    const versions = [
      { from: `${year}-01-01`, currency: 'EUR', price: 0.2 },
      { from: `${year}-07-01`, currency: 'CHF', price: 0.3 },
    ];
    for (const { from, currency, price } of versions)
      await house.db
        .insertInto('tariffs')
        .values({
          project_id: id,
          valid_from: from,
          content: JSON.stringify(allDay(currency, price)),
          operator: '',
          updated_at: new Date(),
        })
        .execute();
    const months = await kwhBy('month', `${year}-01-01`, '1 year');
    const paid = [sum(months.slice(6)) * 0.3, sum(months.slice(0, 6)) * 0.2];
    await reader.goto(
      `${house.url}/home/configinfo/epstatistics?project_id=${id}&device_id=${device}&period=year&date=${year}-06-01`,
    );
    await soon(async () => {
      const shown = (await figure('Cost', reader)).split(' · ');
      expect(shown.map((each) => each.slice(-3))).toEqual(['CHF', 'EUR']);
      expectShown(shown.map(numberOf), paid, 'figure');
    });
    const { values } = await exported(reader);
    const nothing = Array.from<null>({ length: 6 }).fill(null);
    const [chf, eur] = [values('Cost (CHF)'), values('Cost (EUR)')];
    expectShown(chf, [...nothing, ...months.slice(6).map((kwh) => kwh * 0.3), paid[0]!], '.xlsx, CHF');
    expectShown(eur, [...months.slice(0, 6).map((kwh) => kwh * 0.2), ...nothing, paid[1]!], '.xlsx, EUR');
  });
});
