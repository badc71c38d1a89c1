import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRollups, type Rollups } from '#server/rollups/worker.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { dividedCorrection } from './corrections.ts';
import { statisticsRoutes } from './statistics.routes.ts';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zone = '+08:00';

let world: World;
let rollups: Rollups;
let admin: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
let parts: Awaited<ReturnType<typeof makePart>>[];
let hall: Awaited<ReturnType<typeof makeDevice>>;
let roof: Awaited<ReturnType<typeof makeDevice>>;
/** Local midnight at which the figures begin: a Sunday. */
const start = Date.parse(`2026-11-01T00:00:00${zone}`);
const now = Date.parse(`2026-11-08T12:07:00${zone}`);

let seq = 0;
const store = async (
  line: { id: number },
  values: readonly { at: number; kWh: number | null; watts: number }[],
) => {
  await world.pool.query(
    `insert into readings (line_id, at, boot, seq, rx_ms, energy, channels)
     select $1, u.at, 1, u.seq, 0, u.kwh, array[230, u.watts / 230, u.watts, 1, 0, 12, 30]::real[]
     from unnest($2::timestamptz[], $3::double precision[], $4::real[], $5::int[]) as u (at, kwh, watts, seq)`,
    [
      line.id,
      values.map(({ at }) => new Date(at)),
      values.map(({ kWh }) => kWh),
      values.map(({ watts }) => watts),
      values.map(() => ++seq),
    ],
  );
  await world.pool.query(
    `insert into rollup_dirty select distinct $1::int, date_trunc('hour', u.at, 'UTC') from unnest($2::timestamptz[]) as u (at)
     on conflict do nothing`,
    [line.id, values.map(({ at }) => new Date(at))],
  );
};
/** Power that changes by the hour, and the register that counts it. */
const walk = (from: number, to: number, wattsAt: (at: number) => number) => {
  const values = [];
  let kWh = 500;
  for (let at = from; at <= to; at += quarterMs) {
    values.push({ at, kWh, watts: wattsAt(at) });
    kWh += (wattsAt(at) * quarterMs) / hourMs / 1000;
  }
  return values;
};
const localHour = (at: number) => ((at + 8 * hourMs) % dayMs) / hourMs;

beforeAll(async () => {
  world = await createWorld((serve) => statisticsRoutes(serve));
  await world.pool.query(`create table readings_all partition of readings default`);
  rollups = createRollups(world);
  project = await makeProject(world.db, { name: 'Mill' });
  parts = [await makePart(world.db, project.id, 'Hall'), await makePart(world.db, project.id, 'Roof')];
  hall = await makeDevice(world.db, {
    project_id: project.id,
    part_id: parts[0]!.id,
    lines: 2,
    rated_current: 40,
  });
  roof = await makeDevice(world.db, { project_id: project.id, part_id: parts[1]!.id, rated_current: 40 });
  await world.db.updateTable('devices').set({ upload_seconds: 900 }).execute();
  world.clock.set(now);
  await store(
    hall.lines[0]!,
    walk(start, now, (at) => (localHour(at) >= 8 && localHour(at) < 20 ? 4000 : 1000)),
  );
  await store(
    hall.lines[1]!,
    walk(start, now, () => 2000),
  );
  await store(
    roof.lines[0]!,
    walk(start, now, () => 500),
  );
  await rollups.round();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(async () => {
  await rollups.stop();
  await world.close();
});

const energy = async (body: object, client = admin) =>
  (await client.call('/statistics/energy_detail', body)).data;
const kwh = (rows: readonly { kwh: number }[]) => rows.map((row) => Math.round(row.kwh * 1000) / 1000);
/** A whole day: 12 h of 4 kW and 12 h of 1 kW; 2 kW; 0.5 kW. */
const daily = { first: 60, second: 48, roof: 12 };

describe('energy', () => {
  test('a project is divided into parts, devices and lines that add up to it', async () => {
    const week = await energy({ project_id: project.id, period: 'week', date: '2026-11-03' });
    expect(week.head).toMatchObject({
      name: 'Mill',
      first_day: '2026-11-02',
      last_day: '2026-11-08',
      by: 'day',
      running: true,
    });
    expect(kwh(week.buckets)).toEqual([120, 120, 120, 120, 120, 120, expect.any(Number)]);
    expect(week.split).toBe('part');
    expect(week.members.map(({ name }: { name: string }) => name)).toEqual(['Hall', 'Roof']);
    const sum = (rows: { kwh: number }[]) => rows.reduce((all, row) => all + row.kwh, 0);
    expect(sum(week.members)).toBeCloseTo(week.total.kwh, 6);
    expect(sum(week.buckets)).toBeCloseTo(week.total.kwh, 6);
    const lines = await energy({ project_id: project.id, period: 'week', date: '2026-11-03', split: 'line' });
    expect(lines.members_total).toBe(3);
    expect(sum(lines.members)).toBeCloseTo(week.total.kwh, 6);
    const day = await energy({ line_id: hall.lines[0]!.id, period: 'day', date: '2026-11-04' });
    expect(kwh([day.total])).toEqual([daily.first]);
    expect(kwh(day.buckets).slice(6, 10)).toEqual([1, 1, 4, 4]);
    expect(day.total).toMatchObject({ coverage: 1, marks: [], estimated_kwh: 0 });
    expect(day.head.path.map(({ kind }: { kind: string }) => kind)).toEqual(['project', 'part', 'device']);
  });

  test('a month and a year have the same kilowatt-hours as their days', async () => {
    const month = await energy({ device_id: hall.id, period: 'month', date: '2026-11-03' });
    const year = await energy({ device_id: hall.id, period: 'year', date: '2026-11-03' });
    expect(year.buckets[10].kwh).toBeCloseTo(month.total.kwh, 6);
    expect(year.total.kwh).toBeCloseTo(month.total.kwh, 6);
    const custom = await energy({
      device_id: hall.id,
      period: 'custom',
      first_day: '2026-06-15',
      last_day: '2026-11-03',
    });
    expect(custom.head.by).toBe('month');
    expect(custom.total.kwh).toBeCloseTo(3 * (daily.first + daily.second), 6);
  });

  test('a drill-down shows the registers at the ends of each part', async () => {
    const { data } = await admin.call('/statistics/energy_source', {
      line_id: hall.lines[1]!.id,
      period: 'day',
      date: '2026-11-02',
    });
    expect(data).toMatchObject({ has_register: true, upload_seconds: 900, rated_kw: 8.8, supplies: 'none' });
    expect(data.rows[0]).toMatchObject({ first_kwh: 548, last_kwh: 549.5, registered_kwh: 1.5 });
    expect(data.rows[0].kwh).toBeCloseTo(2, 6);
  });

  test('bad ranges and unknown ids are refused with a reason', async () => {
    const call = async (body: object) =>
      await admin.call('/statistics/energy_detail', body, {
        cookie: 'language=en-US',
        'accept-language': 'en-US',
      });
    expect(await call({})).toMatchObject({
      status: 422,
      data: { project_id: expect.stringContaining('Choose') },
    });
    expect(
      await call({
        project_id: project.id,
        period: 'custom',
        first_day: '2026-11-05',
        last_day: '2026-11-01',
      }),
    ).toMatchObject({
      status: 422,
      data: { last_day: 'The range must begin before it ends' },
    });
    expect(await call({ project_id: project.id, period: 'day', date: '2026-12-24' })).toMatchObject({
      status: 422,
      data: { date: expect.stringContaining('future') },
    });
    expect(await call({ project_id: 987_654 })).toMatchObject({ status: 404 });
    const before = await energy({ project_id: project.id, period: 'month', date: '2025-03-01' });
    expect(before.total).toMatchObject({ kwh: 0, coverage: null });
    expect(before.head.data_from).toBe(new Date(start).toISOString());
  });

  test('a user limited to a part sees only that part, and no other project', async () => {
    const user = await makeUser(world.db, {
      role: 32,
      projects: [{ id: project.id, parts: [parts[1]!.id] }],
    });
    const client = await world.as(user.id);
    const day = await energy({ project_id: project.id, period: 'day', date: '2026-11-04' }, client);
    expect(day.total.kwh).toBeCloseTo(daily.roof, 6);
    const load = await client.call('/statistics/load', {
      project_id: project.id,
      period: 'day',
      date: '2026-11-04',
    });
    expect(load.data.figures).toMatchObject({ max_w: 500, energy_kwh: daily.roof });
    for (const body of [{ part_id: parts[0]!.id }, { device_id: hall.id }, { line_id: hall.lines[0]!.id }])
      expect((await client.call('/statistics/energy_detail', body)).status).toBe(404);
    const stranger = await world.as((await makeUser(world.db, { role: 3 })).id);
    expect((await stranger.call('/statistics/energy_detail', { project_id: project.id })).status).toBe(404);
  });

  test('the sheet leaves energy empty for the time without a reading', async () => {
    const body = { project_id: project.id, period: 'day', date: '2025-03-01' };
    for (const path of ['energy_export', 'electricity_export']) {
      const { response } = await admin.call(`/statistics/${path}`, body);
      const sheet = (await readXlsx(response.rawPayload)).sheets[0]!.rows;
      const column = sheet[0]!.findIndex((cell) => String(cell).includes('kWh'));
      expect(sheet.slice(1).filter((row) => (row[column] ?? '') !== '')).toEqual([]);
    }
  });

  test('the sheet contains the figures of the screen', async () => {
    const body = { project_id: project.id, period: 'month', date: '2026-11-03' };
    const month = await energy(body);
    const { response } = await admin.call('/statistics/energy_export', body);
    const sheet = (await readXlsx(response.rawPayload)).sheets[0]!.rows;
    const column = sheet[0]!.findIndex((cell) => String(cell).includes('kWh'));
    const numbers = sheet.slice(1).map((row) => Number(row[column]));
    expect(numbers.slice(0, 7)).toEqual(kwh(month.buckets).slice(0, 7));
    expect(numbers.at(-1)).toBeCloseTo(month.total.kwh, 3);
  });
});

describe('electricity', () => {
  const content = {
    currency: 'CNY',
    co2_kg_per_kwh: 0.5,
    holidays: ['2026-11-03'],
    seasons: [
      {
        name: 'Year',
        from: '01-01',
        to: '12-31',
        prices: { sharp: null, peak: 1, flat: 0.5, valley: 0.25 },
        days: [
          {
            weekdays: [1, 2, 3, 4, 5, 6, 7],
            holidays: false,
            periods: [
              { from: '00:00', to: '08:00', band: 'valley' },
              { from: '08:00', to: '20:00', band: 'peak' },
              { from: '20:00', to: '24:00', band: 'flat' },
            ],
          },
          { weekdays: [], holidays: true, periods: [{ from: '00:00', to: '24:00', band: 'flat' }] },
        ],
      },
    ],
  };
  test('energy without a reading is unknown, and has grown by nothing', async () => {
    const asked = { project_id: project.id, period: 'month', date: '2025-03-01' };
    const { data } = await admin.call('/statistics/electricity', asked);
    expect(data.previous.growth).toBeNull();
    expect(data.ranking.length).toBeGreaterThan(0);
    for (const row of data.ranking)
      expect(row).toMatchObject({ kwh: null, previous_kwh: null, growth: null });
  });

  test('energy is divided by the bands of the tariff, with cost, CO₂ and comparison', async () => {
    const saved = await admin.call('/statistics/save_tariff', {
      project_id: project.id,
      valid_from: '2026-11-02',
      content,
    });
    expect(saved.status).toBe(200);
    const of = async (date: string, period = 'day') =>
      (await admin.call('/statistics/electricity', { line_id: hall.lines[0]!.id, period, date })).data;
    const plain = await of('2026-11-02');
    expect(plain.bands).toEqual([
      { band: 'peak', kwh: 48, costs: [{ currency: 'CNY', amount: 48 }] },
      { band: 'flat', kwh: 4, costs: [{ currency: 'CNY', amount: 2 }] },
      { band: 'valley', kwh: 8, costs: [{ currency: 'CNY', amount: 2 }] },
    ]);
    expect(plain).toMatchObject({
      costs: [{ currency: 'CNY', amount: 52 }],
      co2_kg: 30,
      untariffed_kwh: 0,
      tariff: { of_project: true, currency: 'CNY' },
    });
    expect(plain.previous).toMatchObject({ kwh: 60, growth: 0 });
    expect(plain.year_before).toMatchObject({ kwh: 0, growth: null, coverage: null });
    expect((await of('2026-11-03')).bands).toEqual([
      { band: 'flat', kwh: 60, costs: [{ currency: 'CNY', amount: 30 }] },
    ]);
    const before = await of('2026-11-01');
    expect(before).toMatchObject({ tariff: null, costs: [], untariffed_kwh: 60 });
    const whole = (
      await admin.call('/statistics/electricity', {
        project_id: project.id,
        period: 'month',
        date: '2026-11-05',
      })
    ).data;
    expect(whole.untariffed_kwh).toBeCloseTo(120, 4);
    const inBands = whole.bands.reduce((sum: number, row: { kwh: number }) => sum + row.kwh, 0);
    expect(inBands + whole.untariffed_kwh).toBeCloseTo(whole.total.kwh, 4);
    expect(whole.ranking.map(({ name }: { name: string }) => name)[0]).toContain(' · ');
  });

  test('a period of which only a part was recorded is shown with its beginning, and gives no growth', async () => {
    const { previous, ranking } = (
      await admin.call('/statistics/electricity', {
        project_id: project.id,
        period: 'week',
        date: '2026-11-05',
      })
    ).data;
    expect(previous).toMatchObject({
      from: '2026-10-25T16:00:00.000Z',
      begins: new Date(start).toISOString(),
      growth: null,
    });
    expect(previous.kwh).toBeGreaterThan(50);
    expect(ranking).toHaveLength(3);
    for (const row of ranking) expect(row).toMatchObject({ growth: null });
    const whole = await admin.call('/statistics/electricity', {
      project_id: project.id,
      period: 'day',
      date: '2026-11-02',
    });
    expect(whole.data.previous).toMatchObject({ begins: null, growth: 0 });
  });

  test('if the currency changes within a range, screen and sheet show a cost in each currency', async () => {
    const { data: saved } = await admin.call('/statistics/save_tariff', {
      project_id: project.id,
      valid_from: '2026-11-04',
      content: { ...content, currency: 'EUR' },
    });
    const asked = {
      line_id: hall.lines[0]!.id,
      period: 'custom',
      first_day: '2026-11-03',
      last_day: '2026-11-04',
    };
    const { data } = await admin.call('/statistics/electricity', asked);
    expect(data.costs).toEqual([
      { currency: 'CNY', amount: 30 },
      { currency: 'EUR', amount: 52 },
    ]);
    expect(data.bands.find(({ band }: { band: string }) => band === 'flat')).toEqual({
      band: 'flat',
      kwh: 64,
      costs: [
        { currency: 'CNY', amount: 30 },
        { currency: 'EUR', amount: 2 },
      ],
    });
    const { response } = await admin.call('/statistics/electricity_export', asked, {
      'accept-language': 'en-US',
    });
    const [header, ...rows] = (await readXlsx(response.rawPayload)).sheets[0]!.rows;
    const column = (name: string) => rows.map((row) => row[header!.indexOf(name)]);
    expect(column('Cost (CNY)')).toEqual([30, null, 30]);
    expect(column('Cost (EUR)')).toEqual([null, 52, 52]);
    const russian = await admin.call('/statistics/electricity_export', asked, { 'accept-language': 'ru-RU' });
    const [words] = (await readXlsx(russian.response.rawPayload)).sheets[0]!.rows;
    expect(words!.filter((word) => /[a-z]/i.test(String(word)))).toEqual([
      'Стоимость (CNY)',
      'Стоимость (EUR)',
    ]);
    await admin.call('/statistics/delete_tariff', { id: saved.id });
  });

  test('a tariff with a gap is refused at its field, and so is one that another user changed meanwhile', async () => {
    const gapped = structuredClone(content);
    gapped.seasons[0]!.days[0]!.periods[1]!.to = '19:00';
    const refused = await admin.call(
      '/statistics/save_tariff',
      { project_id: project.id, valid_from: '2026-12-01', content: gapped },
      { 'accept-language': 'en-US' },
    );
    expect(refused).toMatchObject({
      status: 422,
      data: { 'content.seasons.0.days.0.periods': 'No period covers 19:00 to 20:00' },
    });
    const again = { project_id: project.id, valid_from: '2026-11-02', content };
    expect((await admin.call('/statistics/save_tariff', again)).status).toBe(409);
    expect((await admin.call('/statistics/save_tariff', { ...again, revision: 1 })).status).toBe(200);
    const manager = await world.as(
      (await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id,
    );
    expect(
      (await manager.call('/statistics/save_tariff', { valid_from: '2026-11-02', content })).status,
    ).toBe(403);
  });
});

describe('load', () => {
  test('load has a maximum with its time, mean, factors, duration curve and comparison', async () => {
    const { data } = await admin.call('/statistics/load', {
      project_id: project.id,
      period: 'day',
      date: '2026-11-04',
      compare: 'previous',
    });
    expect(data.figures).toMatchObject({
      max_w: 6500,
      max_at: new Date(`2026-11-04T08:00:00${zone}`).toISOString(),
      min_w: 3500,
      avg_w: 5000,
      load_factor: 0.7692,
      difference_w: 3000,
      energy_kwh: 120,
      coverage: 1,
    });
    expect(data.figures.utilisation).toBeCloseTo(6500 / (3 * 8800), 3);
    expect(data.figures.curve).toHaveLength(96);
    expect(data.figures.duration).toHaveLength(101);
    expect([data.figures.duration[0], data.figures.duration[100]]).toEqual([6500, 3500]);
    expect(data.compared.max_w).toBe(6500);
    const line = await admin.call('/statistics/load', {
      line_id: hall.lines[0]!.id,
      period: 'week',
      date: '2026-11-04',
    });
    expect(line.data.phases.list).toEqual([{ phase: 'a', avg_a: expect.any(Number), max_a: 17.391 }]);
    expect(line.data.phases.utilisation).toBeCloseTo(17.391 / 40, 3);
  });
});

describe('a correction', () => {
  const from = new Date(`2026-11-06T00:00:00${zone}`).toISOString();
  const to = new Date(`2026-11-07T00:00:00${zone}`).toISOString();
  const body = () => ({
    line_id: hall.lines[0]!.id,
    from,
    to,
    expected_kwh: 60,
    kwh: 90,
    reason: 'Meter was bypassed for a day',
  });
  const english = { 'accept-language': 'en-US' };

  test('a correction changes every figure, survives late readings, and can be withdrawn by another user', async () => {
    const made = await admin.call('/statistics/correct', body());
    expect(made.data).toMatchObject({ before_kwh: 60, after_kwh: 90, undoes: null });
    const day = await energy({ line_id: hall.lines[0]!.id, period: 'day', date: '2026-11-06' });
    expect(day.total).toMatchObject({ kwh: 90, corrected_kwh: 30, marks: ['corrected'] });
    const month = () => energy({ project_id: project.id, period: 'month', date: '2026-11-06' });
    expect(kwh((await month()).buckets)[5]).toBe(150);
    // A late reading between two others changes no figure but recalculates its buckets.
    await store(hall.lines[0]!, [
      { at: Date.parse(from) + 5 * minuteMs, kWh: 800.25 - 0.25 + 0.0833, watts: 1000 },
    ]);
    await rollups.round();
    expect(kwh((await month()).buckets)[5]).toBe(150);
    const load = await admin.call('/statistics/load', {
      project_id: project.id,
      period: 'day',
      date: '2026-11-06',
    });
    expect(load.data.figures.energy_kwh).toBeCloseTo(150, 3);
    const undone = await admin.call('/statistics/undo_correction', {
      id: made.data.id,
      reason: 'It was not',
    });
    expect(undone.data).toMatchObject({ before_kwh: 90, after_kwh: 60, undoes: made.data.id });
    expect(kwh((await month()).buckets)[5]).toBe(120);
    expect(
      (await admin.call('/statistics/undo_correction', { id: made.data.id, reason: 'once more' })).status,
    ).toBe(409);
    const ledger = await admin.call('/statistics/get_corrections', { line_id: hall.lines[0]!.id });
    expect(ledger.data).toMatchObject({
      total: 2,
      list: [
        { undoes: made.data.id, reason: 'It was not' },
        { undone_by: undone.data.id, operator: expect.any(String) },
      ],
    });
    const log = await world.db
      .selectFrom('operation_log')
      .select('key')
      .where('key', 'like', 'energy.%')
      .orderBy('id')
      .execute();
    expect(log.map(({ key }) => key)).toEqual(['energy.correct', 'energy.undo', 'energy.undo']);
  });

  test('a correction is refused with a reason if it is negative, unchanged, too high for the line, based on old figures, in the future, or not on quarters of an hour', async () => {
    const refused = async (change: object) =>
      (await admin.call('/statistics/correct', { ...body(), ...change }, english)).data;
    expect(await refused({ kwh: -1 })).toEqual({ kwh: 'Energy cannot be negative' });
    expect(await refused({ kwh: 60 })).toMatchObject({ kwh: expect.any(String) });
    expect(await refused({ to: new Date(now + dayMs).toISOString() })).toMatchObject({
      to: expect.any(String),
    });
    expect(await refused({ from: new Date(Date.parse(from) + minuteMs).toISOString() })).toMatchObject({
      from: expect.stringContaining('quarter'),
    });
    expect(await refused({ kwh: 1e6 })).toMatchObject({ kwh: expect.stringContaining('2112') });
    expect(await refused({ reason: 'no' })).toMatchObject({ reason: expect.any(String) });
    expect((await admin.call('/statistics/correct', { ...body(), expected_kwh: 50 })).status).toBe(409);
  });

  test('after a correction no quarter-hour is negative, and all add up to the corrected energy', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 1, maxLength: 96 }),
        fc.double({ min: 0, max: 10_000, noNaN: true }),
        (values, after) => {
          const quarters = values.map((each, index) => ({ bucket: index * quarterMs, kwh: each }));
          const parts = dividedCorrection(quarters, { from: 0, to: values.length * quarterMs }, after);
          const results = new Map(quarters.map(({ bucket, kwh: each }) => [bucket, each]));
          for (const part of parts) results.set(part.bucket, (results.get(part.bucket) ?? 0) + part.kwh);
          expect(Math.min(...results.values())).toBeGreaterThanOrEqual(-1e-6);
          expect([...results.values()].reduce((sum, each) => sum + each, 0)).toBeCloseTo(after, 3);
        },
      ),
    );
  });
});

test('an incoming line counts in place of the lines it supplies, and is compared with them', async () => {
  const site = await makeProject(world.db);
  const board = await makeDevice(world.db, { project_id: site.id, lines: 3, rated_current: 63 });
  await world.db.updateTable('devices').set({ upload_seconds: 900 }).where('id', '=', board.id).execute();
  const [incoming, one, two] = board.lines;
  await store(
    incoming!,
    walk(start, start + dayMs, () => 5000),
  );
  await store(
    one!,
    walk(start, start + dayMs, () => 3000),
  );
  await store(
    two!,
    walk(start, start + dayMs, () => 1800),
  );
  await rollups.round();
  const day = { device_id: board.id, period: 'day', date: '2026-11-01' };
  expect((await energy(day)).total.kwh).toBeCloseTo(235.2, 6);
  const set = await admin.call('/statistics/set_incoming', { line_id: incoming!.id, supplies: 'device' });
  expect(set.status).toBe(200);
  await rollups.round();
  const after = await energy(day);
  expect(after.total.kwh).toBeCloseTo(120, 6);
  expect(after.incoming).toEqual({ incoming_kwh: 120, lines_kwh: 115.2, difference_kwh: 4.8 });
  const load = await admin.call('/statistics/load', {
    project_id: site.id,
    period: 'day',
    date: '2026-11-01',
  });
  expect(load.data.figures.max_w).toBe(5000);
});

test('whether a line supplies the whole project is for users of the whole project, to set and to unset', async () => {
  const site = await makeProject(world.db);
  const part = await makePart(world.db, site.id);
  const board = await makeDevice(world.db, { project_id: site.id, part_id: part.id });
  const keeper = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: site.id, parts: [part.id] }] })).id,
  );
  const line_id = board.lines[0]!.id;
  const set = async (client: Client, supplies: string) =>
    (await client.call('/statistics/set_incoming', { line_id, supplies })).status;
  expect([await set(keeper, 'project'), await set(keeper, 'device')]).toEqual([403, 200]);
  expect([await set(admin, 'project'), await set(keeper, 'none')]).toEqual([200, 403]);
  expect([await set(admin, 'none'), await set(keeper, 'none')]).toEqual([200, 200]);
});

test('energy stays with the project that had the device at that time', async () => {
  const [before, after] = [await makeProject(world.db), await makeProject(world.db)];
  const device = await makeDevice(world.db, { project_id: before.id, rated_current: 40 });
  await world.db.updateTable('devices').set({ upload_seconds: 900 }).where('id', '=', device.id).execute();
  await store(
    device.lines[0]!,
    walk(start, start + 2 * dayMs, () => 1000),
  );
  await world.pool.query(
    `insert into device_past_owners (device_id, project_id, part_id, since, until) values ($1, $2, null, 'epoch', $3)`,
    [device.id, before.id, new Date(start + dayMs)],
  );
  await world.db.updateTable('devices').set({ project_id: after.id }).where('id', '=', device.id).execute();
  await rollups.round();
  const month = { period: 'month', date: '2026-11-02' };
  const former = await energy({ project_id: before.id, ...month });
  expect(former.total.kwh).toBeCloseTo(24, 6);
  expect(former.members).toMatchObject([{ id: null, name: '' }]);
  expect((await energy({ project_id: after.id, ...month })).total.kwh).toBeCloseTo(24, 6);
  const load = await admin.call('/statistics/load', { project_id: before.id, ...month });
  expect(load.data.figures.energy_kwh).toBeCloseTo(24, 6);
});
