import * as fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alarmStatisticsColumns, alarmStatisticsSections } from '#contract/alarm-statistics-columns.ts';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmStatisticsRoutes } from './alarm-statistics.routes.ts';

const minute = 60_000;
const hour = 60 * minute;
const codes = [101, 201, 301, 402];
let world: World;
let admin: Client;
let operator: Client;
let partOperator: Client;
let projects: Awaited<ReturnType<typeof makeProject>>[];
let devices: Awaited<ReturnType<typeof makeDevice>>[];

/** It is 2026-11-20, 10:00 in Shanghai. */
beforeAll(async () => {
  world = await createWorld((serve) => {
    alarmStatisticsRoutes(serve);
    alarmRoutes(serve);
  });
  projects = [
    await makeProject(world.db, { name: 'Bay Tower' }),
    await makeProject(world.db, { name: 'Far Mill', time_zone: 'America/New_York' }),
  ];
  const part = await makePart(world.db, projects[0]!.id);
  devices = [
    await makeDevice(world.db, { project_id: projects[0]!.id }),
    await makeDevice(world.db, { project_id: projects[0]!.id, part_id: part.id }),
    await makeDevice(world.db, { project_id: projects[1]!.id }),
  ];
  const now = world.clock.now();
  // 120 alarms at intervals of eleven hours, over all devices, types and states.
  for (let index = 0; index < 120; index += 1) {
    const at = now - index * 11 * hour - 7 * minute;
    const id = await makeAlarm(world.pool, devices[index % 3]!, {
      at,
      code: codes[index % codes.length]!,
      level: index % 5 === 0 ? 1 : 2,
      cleared: ![5, 7, 9].includes(index),
      suppressed: index % 17 === 3,
    });
    if (index % 2 === 0)
      await world.pool.query(
        'update alarms set handled_at = raised_at + $2 * interval $$1 minute$$, cleared_at = coalesce(cleared_at, raised_at), severity = $3 where id = $1',
        [id, 1 + (index % 20), 1 + (index % 4)],
      );
    if (index % 23 === 1) await world.pool.query('update alarms set deleted_at = now() where id = $1', [id]);
  }
  const { rows } = await world.pool.query(
    'select line_id, id from alarms where handled_at is null and cleared_at is null and deleted_at is null and suppressed_by is null limit 1',
  );
  expect(rows).toHaveLength(1);
  await world.pool.query(
    `insert into shelved_alarms (line_id, alarm_id, level, shelved_at, until, user_id, reason)
     values ($1, $2, 2, $3::timestamptz - interval '2 hours', $3, $4, 'works')`,
    [rows[0].line_id, rows[0].id, new Date(now + hour), (await makeUser(world.db, { role: 1 })).id],
  );
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [projects[0]!] })).id);
  partOperator = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: projects[0]!.id, parts: [part.id] }] })).id,
  );
});
afterAll(() => world.close());

const path = '/alarm_statistics/get_statistics';
/** The total of the alarm list, plus the shelved alarms, which the list hides. */
const total = async (client: Client, filter: object): Promise<number> => {
  const of = async (more: object) =>
    (await client.call('/device_warning/WarningList', { ...filter, ...more, limit: 1 })).data.total;
  return (await of({})) + (await of({ shelved: true }));
};
const sum = (rows: { raised: number }[]) => rows.reduce((all, { raised }) => all + raised, 0);

describe('alarm statistics', () => {
  test('alarm statistics agree with the alarm list for the same filter, for every user', async () => {
    const filter = fc.record(
      {
        level: fc.constantFrom(1, 2),
        severity: fc.integer({ min: 1, max: 4 }),
        typeNumber: fc.constantFrom([101], [201, 301]),
        project_id: fc.constantFrom(...projects.map(({ id }) => id)),
        device_id: fc.constantFrom(...devices.map(({ id }) => id)),
      },
      { requiredKeys: [] },
    );
    const asked = fc.record({
      client: fc.constantFrom('admin', 'operator', 'partOperator'),
      range: fc.constantFrom('week', 'month', 'quarter'),
      filter,
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ client: name, range, filter }) => {
        const client = { admin, operator, partOperator }[name];
        const { data } = await client.call(path, { range, ...filter });
        const span = { ...filter, from: data.from, to: data.to };
        expect(data.total.raised).toBe(await total(client, span));
        expect(data.total.processed).toBe(await total(client, { ...span, status: 'processed' }));
        expect(data.total.active).toBe(await total(client, { ...span, active: true }));
        for (const rows of [data.days, data.types, data.severities, data.projects, data.devices])
          expect(sum(rows)).toBe(data.total.raised);
        expect(data.week.reduce((all: number, count: number) => all + count, 0)).toBe(data.total.raised);
        for (const row of data.types.slice(0, 1))
          expect(row.raised).toBe(await total(client, { ...span, typeNumber: [row.typeNumber] }));
      }),
      { numRuns: 40 },
    );
  });

  test('alarm statistics divide days and hours in the time zone of the project', async () => {
    const of = async (project: { id: number }) =>
      (await admin.call(path, { range: 'week', project_id: project.id })).data;
    const [shanghai, newYork] = [await of(projects[0]!), await of(projects[1]!)];
    expect(shanghai).toMatchObject({
      zone: 'Asia/Shanghai',
      first_day: '2026-11-14',
      last_day: '2026-11-20',
      from: '2026-11-13T16:00:00.000Z',
      to: '2026-11-20T16:00:00.000Z',
    });
    expect(newYork).toMatchObject({ last_day: '2026-11-19', to: '2026-11-20T05:00:00.000Z' });
    // A Sunday of 25 hours is one day: clocks went back on 2026-11-01 in New York.
    const change = await admin.call(path, {
      project_id: projects[1]!.id,
      first_day: '2026-11-01',
      last_day: '2026-11-01',
    });
    expect(Date.parse(change.data.to) - Date.parse(change.data.from)).toBe(25 * hour);
    expect(change.data.days).toHaveLength(1);
  });

  test('alarm statistics give the median and the 90th percentile of the time to handle to one per cent', async () => {
    const { data } = await admin.call(path, { range: 'quarter' });
    const { rows } = await world.pool.query(
      `select percentile_disc(0.5) within group (order by handled_at - raised_at) as median,
         percentile_disc(0.9) within group (order by handled_at - raised_at) as p90
       from alarms where handled_at is not null and deleted_at is null and suppressed_by is null and raised_at >= $1`,
      [data.from],
    );
    for (const [shown, exact] of [
      [data.total.median_s, rows[0].median],
      [data.total.p90_s, rows[0].p90],
    ]) {
      const seconds = (exact.minutes ?? 0) * 60 + (exact.seconds ?? 0);
      expect(Math.abs(shown / seconds - 1)).toBeLessThan(0.01);
    }
  });

  test('the statistics agree with SQL over the alarms: rates, times to handle, growth, hours of the week, noisiest devices', async () => {
    const { data } = await admin.call(path, { range: 'quarter' });
    const zone = 'Asia/Shanghai';
    // A shelved alarm counts in every figure.
    const counting = 'deleted_at is null and suppressed_by is null';
    const of = async <Row>(text: string, ...values: unknown[]) =>
      (await world.pool.query(text, values)).rows as Row[];
    const bounds = [data.from, data.to];
    const figures = `count(*)::int as raised, count(*) filter (where level = 1)::int as early_warnings,
      count(handled_at)::int as processed, count(handled_at)::float8 / count(*) as handling_rate,
      extract(epoch from percentile_disc(0.5) within group (order by handled_at - raised_at))::float8 as median_s,
      extract(epoch from percentile_disc(0.9) within group (order by handled_at - raised_at))::float8 as p90_s`;
    type Figures = Record<
      'raised' | 'early_warnings' | 'processed' | 'handling_rate' | 'median_s' | 'p90_s',
      number
    >;
    /** Times to handle are shown to one per cent. */
    const expectFigures = (shown: Figures, { median_s, p90_s, handling_rate, ...exact }: Figures) => {
      expect(shown).toMatchObject(exact);
      // The screen calculates this rate for types and projects by itself.
      expect(shown.processed / shown.raised).toBeCloseTo(handling_rate, 4);
      for (const [time, wanted] of [
        [shown.median_s, median_s],
        [shown.p90_s, p90_s],
      ] as const)
        if (wanted === null) expect(time).toBeNull();
        else expect(Math.abs(time / wanted - 1)).toBeLessThan(0.01);
    };
    const within = `${counting} and raised_at >= $1 and raised_at < $2`;
    const [whole] = await of<Figures>(`select ${figures} from alarms where ${within}`, ...bounds);
    expectFigures(data.total, whole!);
    expect(data.total.handling_rate).toBeCloseTo(whole!.handling_rate, 4);
    for (const [rows, column, key] of [
      [data.types, 'code', 'typeNumber'],
      [data.severities, 'severity', 'severity'],
      [data.projects, 'project_id', 'project_id'],
      [data.devices, 'device_id', 'device_id'],
    ] as const) {
      const wanted = await of<Figures & { group: number }>(
        `select ${column} as group, ${figures} from alarms where ${within} group by 1`,
        ...bounds,
      );
      expect(rows).toHaveLength(wanted.length);
      for (const row of rows) {
        const { group: _, ...exact } = wanted.find(({ group }) => group === row[key])!;
        if ('median_s' in row) expectFigures(row, exact);
        else expect(row).toMatchObject({ raised: exact.raised, processed: exact.processed });
      }
      const counts = rows.map(({ raised }: { raised: number }) => raised);
      if (column !== 'severity') expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    }
    const hours = await of<{ hour: number; raised: number }>(
      `select (extract(isodow from local) - 1)::int * 24 + extract(hour from local)::int as hour, count(*)::int as raised
       from (select raised_at at time zone '${zone}' as local from alarms where ${within}) a group by 1`,
      ...bounds,
    );
    const week = Array.from({ length: 168 }, () => 0);
    for (const { hour, raised } of hours) week[hour] = raised;
    expect(data.week).toEqual(week);
    const [days] = await of<Record<string, number>>(
      `select count(*) filter (where raised_at >= today)::int as today,
         count(*) filter (where raised_at >= today - interval '1 day' and raised_at < today)::int as yesterday,
         count(*) filter (where raised_at >= today - interval '1 day' and raised_at <= $1::timestamptz - interval '1 day')::int
           as yesterday_same_time,
         count(*) filter (where raised_at >= $2::timestamptz - ($3::timestamptz - $2::timestamptz) and raised_at < $2::timestamptz)::int
           as before
       from alarms, (select date_trunc('day', $1::timestamptz, '${zone}') as today) t where ${counting}`,
      new Date(world.clock.now()),
      ...bounds,
    );
    const { before, ...two } = days!;
    expect(data.two_days).toMatchObject({
      ...two,
      growth:
        two['yesterday_same_time'] === 0
          ? two['today'] === 0
            ? 0
            : null
          : expect.closeTo(two['today']! / two['yesterday_same_time']! - 1, 4),
    });
    expect(data.total.before).toBe(before);
  });

  test('alarm statistics compare today with yesterday up to the same time and with the period before', async () => {
    const { data } = await operator.call(path, { range: 'week' });
    const start = Date.parse('2026-11-20T00:00+08:00');
    const now = world.clock.now();
    const span = (from: number, to: number) =>
      total(operator, { from: new Date(from).toISOString(), to: new Date(to).toISOString() });
    expect(data.two_days).toMatchObject({
      today: await span(start, now + 1),
      yesterday: await span(start - 24 * hour, start),
      yesterday_same_time: await span(start - 24 * hour, now - 24 * hour + 1),
    });
    expect(data.total.before).toBe(await span(start - 13 * 24 * hour, start - 6 * 24 * hour));
  });

  test('alarm statistics rank the noisiest devices with their most frequent type', async () => {
    const { data } = await admin.call(path, { range: 'quarter' });
    const counts = data.devices.map(({ raised }: { raised: number }) => raised);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    expect(data.devices[0]).toMatchObject({
      share: counts[0] / data.total.raised,
      device_number: expect.any(String),
      typeNumber: expect.any(Number),
    });
    expect(data.projects.map((row: { project_name: string }) => row.project_name).toSorted()).toEqual([
      'Bay Tower',
      'Far Mill',
    ]);
  });

  test('alarm statistics leave shares and times empty if no alarm was raised', async () => {
    const { data } = await admin.call(path, { first_day: '2030-01-01', last_day: '2030-01-02' });
    expect(data.total).toMatchObject({ raised: 0, handling_rate: null, median_s: null, growth: 0 });
    expect(data.days).toHaveLength(2);
    expect(data.devices).toEqual([]);
  });

  test('alarm statistics give no time to handle for a type without handled alarms', async () => {
    const device = await makeDevice(world.db, { project_id: projects[1]!.id });
    await makeAlarm(world.pool, device, { at: world.clock.now() - hour, code: 801 });
    const { data } = await admin.call(path, { range: 'week', typeNumber: [801] });
    expect(data.types).toMatchObject([
      { typeNumber: 801, raised: 1, processed: 0, median_s: null, p90_s: null },
    ]);
  });

  test('alarm statistics mark the field of a range that is reversed or too long', async () => {
    for (const body of [
      { first_day: '2026-11-20', last_day: '2026-11-19' },
      { first_day: '2020-11-20', last_day: '2026-11-19' },
    ])
      expect(await admin.call(path, body)).toMatchObject({
        status: 422,
        data: { last_day: expect.any(String) },
      });
  });

  test('alarm statistics are exported with the same numbers', async () => {
    const { data } = await operator.call(path, { range: 'month' });
    const { response } = await operator.call(
      '/alarm_statistics/export',
      { range: 'month' },
      { 'accept-language': 'en-US' },
    );
    const [header, ...rows] = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
    expect(header).toEqual(Object.values(alarmStatisticsColumns).map((words) => words['en-US']));
    const raisedOf = (section: keyof typeof alarmStatisticsSections) =>
      rows
        .filter(([name]) => name === alarmStatisticsSections[section]['en-US'])
        .map(([, , raised]) => Number(raised));
    expect(raisedOf('total')).toEqual([data.total.raised]);
    expect(raisedOf('day')).toEqual(data.days.map(({ raised }: { raised: number }) => raised));
    expect(raisedOf('hour')).toEqual(data.week);
    expect(raisedOf('device')).toEqual(data.devices.map(({ raised }: { raised: number }) => raised));
  });
});
