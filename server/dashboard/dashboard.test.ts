import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardEndpoints, dashboardPanels } from '#contract/dashboard.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { dashboardRoutes } from './dashboard.routes.ts';

const hour = 3_600_000;
let world: World;
let admin: Client;
let operator: Client;
let partOperator: Client;
let mine: Awaited<ReturnType<typeof makeProject>>;
let device: Awaited<ReturnType<typeof makeDevice>>;

/** 2026-11-20, 10:00 in Shanghai. */
beforeAll(async () => {
  world = await createWorld((serve) => dashboardRoutes(serve));
  mine = await makeProject(world.db, { contract_kw: 4 });
  const other = await makeProject(world.db);
  const part = await makePart(world.db, mine.id);
  device = await makeDevice(world.db, { project_id: mine.id, online: true, lines: 2 });
  const inPart = await makeDevice(world.db, { project_id: mine.id, part_id: part.id });
  const foreign = await makeDevice(world.db, { project_id: other.id, online: true });
  const now = world.clock.now();
  const raise = (of: typeof device, hoursAgo: number, given: Omit<Parameters<typeof makeAlarm>[2], 'at'>) =>
    makeAlarm(world.pool, of, { at: now - hoursAgo * hour, ...given });
  await raise(device, 1, { code: 301, level: 2 });
  await raise(device, 2, { code: 201, level: 1, handled: true });
  await raise(device, 3, { code: 202, suppressed: true });
  await raise(device, 25, { code: 101, level: 1, cleared: true });
  await raise(device, 15, { code: 401, level: 2, handled: true });
  await raise(inPart, 26, { code: 102, level: 2 });
  await raise(device, 24 * 35, { code: 501, level: 2, handled: true });
  await raise(foreign, 1, { code: 301, level: 1 });
  const gone = await makeDevice(world.db, { online: false });
  await world.db
    .updateTable('devices')
    .set({ deleted_at: new Date(now) })
    .where('id', '=', gone.id)
    .execute();
  const at = new Date(now);
  const channels = lineChannels[3].map((name) => (name === 'P.t' ? 1500 : null));
  await world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, channels) values
     ($1, $3, $3, 1, 1, 1, $3, $4),
     ($2, $3::timestamptz - interval '1 hour', $3, 1, 1, 1, $3::timestamptz - interval '1 hour', $4)`,
    [device.lines[0]!.id, device.lines[1]!.id, at, channels],
  );
  await world.pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, position, channels) values ($1, $2, $2, 1, 1, 1, $3)`,
    [gone.lines[0]!.id, at, channels],
  );
  await world.pool.query(
    `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags)
     select project, 0, bucket::timestamptz, 1, 900, kwh, 0 from (values ($1::int, '2026-11-20T00:00+08', 3),
       ($1, '2026-11-19T00:00+08', 8), ($1, '2026-11-18T00:00+08', 99), ($2, '2026-11-20T00:00+08', 70)) as v (project, bucket, kwh)`,
    [mine.id, other.id],
  );
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [mine] })).id);
  partOperator = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: mine.id, parts: [part.id] }] })).id,
  );
});
afterAll(() => world.close());

describe('the dashboard', () => {
  test('counts what the caller may see, and the load of reporting lines only', async () => {
    const { data } = await operator.call('/index/census');
    expect(data).toEqual({
      projects: 1,
      devices: 2,
      devices_bound: 2,
      devices_online: 1,
      online_rate: 0.5,
      unprocessed: 3,
      unprocessed_alarms: 2,
      unprocessed_early_warnings: 1,
      active: 2,
      lines: 3,
      lines_open: 0,
      lines_closed: 1,
      lines_unknown: 2,
      lines_last_closed: 1,
      position_at: new Date(world.clock.now() - 3_600_000).toISOString(),
      load_w: 1500,
      energy_today_kwh: 3,
      energy_yesterday_kwh: 8,
      month_from: '2026-10-31T16:00:00.000Z',
      month_raised: 5,
      month_processed: 2,
      month_handling_rate: 0.4,
    });
    expect((await admin.call('/index/census')).data).toMatchObject({
      projects: 2,
      devices: 3,
      devices_online: 2,
    });
    expect((await partOperator.call('/index/census')).data).toMatchObject({
      projects: 1,
      devices: 1,
      unprocessed: 1,
    });
  });

  test('counts a new alarm at once, and the slower figures after a while', async () => {
    const world2 = await admin.call('/index/census');
    const id = await makeAlarm(world.pool, device, { at: world.clock.now(), code: 402 });
    expect((await admin.call('/index/census')).data.unprocessed).toBe(world2.data.unprocessed + 1);
    await world.pool.query('delete from alarms where id = $1', [id]);
  });

  test('lists the newest alarms of the scope', async () => {
    const codes = async (client: Client) =>
      (await client.call('/index/getDeviceWarnList', { limit: 3 })).data.list.map(
        (row: { typeNumber: number }) => row.typeNumber,
      );
    expect(await codes(operator)).toEqual([301, 201, 401]);
    expect(await codes(partOperator)).toEqual([102]);
    expect(await codes(admin)).toEqual([301, 301, 201]);
    const { data } = await operator.call('/index/getDeviceWarnList', { limit: 1 });
    expect(data.list[0]).toMatchObject({
      status: 'unprocessed',
      active: true,
      device_number: device.number,
      value: 42,
    });
  });

  test('places projects on the map with their worst active unprocessed level', async () => {
    const { data } = await operator.call('/index/getProjectPlace');
    const { id: project_id, name, lat, lng } = mine;
    expect(data.list).toEqual([{ project_id, name, lat, lng, province_id: 440000, worst: 2 }]);
    const { data: all } = await admin.call('/index/getProjectPlace');
    expect(all.list).toHaveLength(2);
    const project_ids = all.list.map((place: { project_id: number }) => place.project_id);
    const details = await operator.call('/index/get_project_places', { project_ids });
    expect(details.data.list).toEqual([
      {
        project_id: mine.id,
        name: mine.name,
        kind: mine.kind,
        region: expect.any(String),
        devices: 2,
        online: 1,
        unprocessed: 3,
        active: expect.any(Number),
        worst: 2,
      },
    ]);
    expect((await operator.call('/index/get_project_places', { project_ids: [] })).status).toBe(422);
  });

  test('everything that the overview requests for a thousand projects takes less than 100 kB', async () => {
    const regional = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
    await sql`
      insert into projects (code, name, region_id, lat, lng, joined_at, contact_name, contact_phone)
      select 'many' || n, '深圳南山科技园区 ' || n || ' 号', 440305, 22 + random() * 2, 112 + random() * 3, now(), '李伟', '13800000000'
      from generate_series(1, 1000) n`.execute(world.db);
    const { setting, census, latest, places, sites, trend, comparison, months, spread } = dashboardEndpoints;
    let bytes = 0;
    for (const { path } of [setting, census, latest, places, sites, trend, comparison, months, spread]) {
      const { statusCode, rawPayload, headers } = await world.app.inject({
        method: 'POST',
        url: path,
        payload: {},
        headers: { authorization: `Bearer ${regional.token}`, 'accept-encoding': 'gzip' },
      });
      expect(statusCode, path).toBe(200);
      if (path === places.path) {
        expect(headers['content-encoding']).toBe('gzip');
        expect(JSON.parse(gunzipSync(rawPayload).toString()).data.list.length).toBeGreaterThanOrEqual(1000);
      }
      bytes += rawPayload.length;
    }
    await sql`delete from projects where code like 'many%'`.execute(world.db);
    expect(bytes).toBeLessThan(100_000);
  });

  test('counts past days and today in the time zone of the site', async () => {
    const { data } = await operator.call('/index/warin_type_trend', { days: 3 });
    expect(data.days).toMatchObject([
      {
        day: '2026-11-18',
        from: '2026-11-17T16:00:00.000Z',
        to: '2026-11-18T16:00:00.000Z',
        alarms: 0,
        early_warnings: 0,
        processed: 0,
      },
      { day: '2026-11-19', alarms: 2, early_warnings: 1, processed: 1 },
      { day: '2026-11-20', alarms: 1, early_warnings: 1, processed: 1 },
    ]);
    const far = await makeProject(world.db, { time_zone: 'America/New_York' });
    const answer = await admin.call('/index/warin_type_trend', { days: 1, project_id: far.id });
    expect(answer.data.days[0].day).toBe('2026-11-19');
    expect((await operator.call('/index/warin_type_trend', { project_id: far.id })).status).toBe(404);
  });

  test('compares today with yesterday up to the same time, and with the whole of yesterday', async () => {
    const { data } = await operator.call('/index/waringCensus');
    expect(data).toMatchObject({ today: 2, yesterday_same_time: 2, yesterday: 3, growth: 0 });
    expect(data.hours).toHaveLength(24);
    expect(data.hours[9]).toEqual({ hour: 9, today: 1, yesterday: 1 });
    expect(data.hours[23].today).toBeNull();
  });

  test.each([
    // A day of 23 hours, and one of 25.
    ['2027-03-28T15:30+02:00', 15],
    ['2026-10-25T15:30+01:00', 15],
    ['2026-10-25T02:30+02:00', 2],
    ['2026-10-25T02:30+01:00', 2],
  ])('at %s, on a day when clocks change, today has alarms by hour until hour %i', async (time, hour) => {
    const world = await createWorld((serve) => dashboardRoutes(serve));
    try {
      world.clock.set(Date.parse(time));
      const project = await makeProject(world.db, { time_zone: 'Europe/Berlin' });
      const device = await makeDevice(world.db, { project_id: project.id });
      await makeAlarm(world.pool, device, { at: world.clock.now() - 60_000, code: 301, level: 2 });
      const manager = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
      const { data } = await manager.call('/index/waringCensus');
      expect(data.hours.map(({ today }: { today: number | null }) => today)).toEqual(
        Array.from({ length: 24 }, (_, each) => (each > hour ? null : each === hour ? 1 : 0)),
      );
    } finally {
      await world.close();
    }
  });

  test('gives months with handling rate and growth, and null if there is no earlier month', async () => {
    const { data } = await operator.call('/index/warinCensusGrew');
    expect(data.months).toHaveLength(12);
    expect(data.months.at(-1)).toEqual({
      month: '2026-11',
      from: '2026-10-31T16:00:00.000Z',
      to: '2026-11-30T16:00:00.000Z',
      raised: 5,
      processed: 2,
      handling_rate: 0.4,
      growth: 4,
    });
    expect(data.months.at(-2)).toMatchObject({ month: '2026-10', raised: 1, handling_rate: 1, growth: null });
    expect(data.months[0]).toMatchObject({ raised: 0, handling_rate: null, growth: 0 });
  });

  test('shows how many alarms each type has', async () => {
    const { data } = await admin.call('/index/warin_type_spread', { days: 2 });
    expect(data.types[0]).toEqual({ typeNumber: 301, count: 2, unprocessed: 2 });
    expect(data.types.map((type: { typeNumber: number }) => type.typeNumber)).toEqual([
      301, 101, 102, 201, 401,
    ]);
  });

  test('leaves devices without a project out of the online rate, and has no rate without devices', async () => {
    const rateOf = async (by: Client) => (await by.call('/index/census')).data;
    const before = await rateOf(admin);
    await makeDevice(world.db, { online: true });
    await makeDevice(world.db, { online: false });
    const after = await rateOf(admin);
    expect(after).toMatchObject({
      devices: before.devices + 2,
      devices_bound: before.devices_bound,
      devices_online: before.devices_online,
      online_rate: before.online_rate,
    });
    const empty = await makeProject(world.db);
    const newcomer = await world.as((await makeUser(world.db, { role: 3, projects: [empty] })).id);
    expect(await rateOf(newcomer)).toMatchObject({ devices: 0, online_rate: null });
  });

  describe('its layout', () => {
    const path = '/index/Setting';
    test('the dashboard’s layout is the user’s own, else the installation’s, else the default', async () => {
      expect((await operator.call(path)).data).toMatchObject({
        panels: [...dashboardPanels],
        cycle_s: 0,
        chosen_by: 'nobody',
        may_set_for_everyone: false,
      });
      const shared = { panels: ['sites', 'latest'], page_size: 'large', cycle_s: 30 };
      expect((await admin.call(path, { ...shared, target: 'everyone' })).data).toMatchObject({
        ...shared,
        chosen_by: 'everyone',
      });
      expect((await operator.call(path)).data).toMatchObject({ ...shared, chosen_by: 'everyone' });
      const own = { panels: ['months', 'map'], page_size: 'full', cycle_s: 0 };
      expect((await operator.call(path, own)).data).toMatchObject({ ...own, chosen_by: 'me' });
      expect((await partOperator.call(path)).data).toMatchObject(shared);
      expect((await operator.call(path, { reset: true })).data).toMatchObject({
        ...shared,
        chosen_by: 'everyone',
      });
      expect((await admin.call(path, { reset: true, target: 'everyone' })).data).toMatchObject({
        chosen_by: 'nobody',
      });
    });

    test('only an administrator of all projects can change the layout of the installation', async () => {
      const shared = { panels: ['map'], target: 'everyone' };
      expect(await operator.call(path, shared)).toMatchObject({ status: 403 });
      expect((await admin.call(path)).data.chosen_by).toBe('nobody');
    });

    test('a layout contains each panel at most once, and changes its pages at an allowed interval', async () => {
      for (const body of [{ panels: [] }, { panels: ['map', 'map'] }])
        expect(await operator.call(path, body)).toMatchObject({
          status: 422,
          data: { panels: expect.any(String) },
        });
      expect(await operator.call(path, { panels: ['map'], cycle_s: 5 })).toMatchObject({
        status: 422,
        data: { cycle_s: expect.any(String) },
      });
    });
  });

  test('ranks sites by urgency, within a region too', async () => {
    const { data } = await admin.call('/index/get_site_ranking');
    const worst = data.list.map((site: { worst: number }) => site.worst);
    expect(worst).toEqual(worst.toSorted((a: number, b: number) => b - a));
    expect(data.total).toBe((await admin.call('/index/getProjectPlace')).data.list.length);
    const site = data.list.find((one: { project_id: number }) => one.project_id === mine.id);
    const { unprocessed, active } = (await operator.call('/index/census')).data;
    expect(site).toMatchObject({ unprocessed, active, devices: 2, offline: 1, load_w: 1500, contract_kw: 4 });
    const [region] = data.regions;
    const { data: inRussian } = await admin.call('/index/get_site_ranking', {}, { 'accept-language': 'ru' });
    expect(region.name).toMatch(/^\p{Script=Han}+$/u);
    expect(inRussian.regions[0].name).toMatch(/^\p{Script=Cyrillic}/u);
    expect(inRussian.list[0].region).toMatch(/^\p{Script=Cyrillic}.*, /u);
    const inRegion = await admin.call('/index/get_site_ranking', { region_id: region.region_id });
    expect(inRegion.data.total).toBe(region.projects);
    expect((await admin.call('/index/get_site_ranking', { region_id: 999_999 })).data.list).toEqual([]);
    const { data: seen } = await partOperator.call('/index/get_site_ranking');
    expect(seen.list).toMatchObject([{ project_id: mine.id, devices: 1, contract_kw: null }]);
  });

  test('compares the energy of a site with yesterday up to the same time', async () => {
    // It is 10:00: the quarters from 8:00 and 9:45 of yesterday count completely, the one from 10:00 not at all.
    await world.pool.query(
      `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags)
       select $1, 0, bucket::timestamptz, 1, 900, kwh, 0 from (values
         ('2026-11-20T09:00+08', 4), ('2026-11-19T08:00+08', 2), ('2026-11-19T09:45+08', 1),
         ('2026-11-19T10:00+08', 64), ('2026-11-18T23:00+08', 32)) as v (bucket, kwh)`,
      [mine.id],
    );
    const { data } = await operator.call('/index/get_site_ranking');
    expect(data.list[0]).toMatchObject({ energy_today_kwh: 3 + 4, energy_same_time_kwh: 8 + 3 });
  });

  test.each([
    ['load', 'load_w'],
    ['energy', 'energy_today_kwh'],
  ])('ranks sites by their %s, and they add up to the total of the overview', async (order, field) => {
    world.clock.advance(30_000);
    const { data } = await admin.call('/index/get_site_ranking', { order });
    const figures: (number | null)[] = data.list.map((site: Record<string, number | null>) => site[field]);
    const known = figures.filter((figure) => figure !== null);
    expect(figures).toEqual([
      ...known.toSorted((one, other) => other - one),
      ...figures.slice(known.length).map(() => null),
    ]);
    expect(Math.max(...known)).toBeGreaterThan(0);
    const { data: census } = await admin.call('/index/census');
    expect(known.reduce((sum, figure) => sum + figure, 0)).toBeCloseTo(census[field], 6);
    const { data: largest } = await admin.call('/index/get_site_ranking', { order, limit: 1 });
    expect(largest).toMatchObject({ total: data.total, list: [data.list[0]] });
  });
});

test('a reading from the future adds no load, and its line counts as unknown', async () => {
  await world.pool.query(
    `update line_latest set at = at + interval '2 hours', position_at = position_at + interval '2 hours'
     where line_id = $1`,
    [device.lines[1]!.id],
  );
  world.clock.advance(30_000);
  const { data } = await operator.call('/index/census');
  expect(data).toMatchObject({ load_w: 1500, lines_closed: 1, lines_unknown: 2 });
  const ranking = await admin.call('/index/get_site_ranking');
  expect(ranking.data.list.find((one: { project_id: number }) => one.project_id === mine.id).load_w).toBe(
    1500,
  );
});

describe('what nobody has measured', () => {
  const ofSites = async (caller: Client, order = 'urgency') =>
    (await caller.call('/index/get_site_ranking', { order, limit: 50 })).data.list;

  test('without a fresh report the load is unknown, and so is energy without a reading', async () => {
    const unknown = { load_w: null, energy_today_kwh: null };
    const { data } = await partOperator.call('/index/census');
    expect(data).toMatchObject({ ...unknown, lines: 1, energy_yesterday_kwh: null });
    expect(await ofSites(partOperator)).toMatchObject([{ ...unknown, energy_same_time_kwh: null }]);
  });

  test.each([
    ['load', 'load_w'],
    ['energy', 'energy_today_kwh'],
  ])('a site whose %s is unknown comes after one that has none', async (order, field) => {
    const silent = await makeProject(world.db);
    const measured = await makeProject(world.db);
    const meter = await makeDevice(world.db, { project_id: measured.id, online: true });
    await world.pool.query(
      `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, channels)
       values ($1, $2, $2, 1, 1, 0, $2, $3)`,
      [meter.lines[0]!.id, new Date(world.clock.now()), lineChannels[3].map(() => 0)],
    );
    await world.pool.query(
      `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags)
       values ($1, 0, '2026-11-20T00:00+08', 1, 900, 0, 0), ($2, 0, '2026-11-20T00:00+08', 1, 0, 0, 0)`,
      [measured.id, silent.id],
    );
    const manager = await world.as((await makeUser(world.db, { role: 3, projects: [silent, measured] })).id);
    const found: Record<string, number | null>[] = await ofSites(manager, order);
    expect(found.map((site) => [site['project_id'], site[field]])).toEqual([
      [measured.id, 0],
      [silent.id, null],
    ]);
  });
});
