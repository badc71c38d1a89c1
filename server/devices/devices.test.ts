import { createHash } from 'node:crypto';
import { readXlsx } from 'hucre/xlsx';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceColumns, deviceTypeWords } from '#contract/columns.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { deviceRoutes } from './devices.routes.ts';

let world: World;
let admin: Client;
let operator: Client;
let partOperator: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
let other: Awaited<ReturnType<typeof makeProject>>;
let part: Awaited<ReturnType<typeof makePart>>;
const list = '/Device/get_device_list';
const sorts = deviceEndpoints.list.body.shape.sort.unwrap().options.filter((sort) => !sort.startsWith('-'));

beforeAll(async () => {
  world = await createWorld((serve) => deviceRoutes(serve));
  project = await makeProject(world.db, { name: 'Harbour 100%' });
  other = await makeProject(world.db, { name: 'Mill' });
  part = await makePart(world.db, project.id);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  operator = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
  partOperator = await world.as(
    (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
  );
});
afterAll(() => world.close());

describe('device list', () => {
  test('the device list filters by project name, number, status, type and bound, and counts exactly', async () => {
    const online = await makeDevice(world.db, {
      project_id: project.id,
      online: true,
      type: 4,
      number: 'HARB-0001',
    });
    await makeDevice(world.db, { project_id: project.id, type: 5, number: 'HARB-0002' });
    await makeDevice(world.db, { project_id: other.id, number: 'MILL-0001' });
    await makeDevice(world.db, { number: 'LOOSE-0001' });
    const numbers = async (body: object) => {
      const { data } = await admin.call(list, body);
      expect(data.total).toBe(data.list.length);
      return data.list.map((row: { number: string }) => row.number);
    };
    expect(await numbers({ project_name: 'harbour 100%' })).toEqual(['HARB-0001', 'HARB-0002']);
    expect(await numbers({ project_name: '1_0%' })).toEqual([]);
    expect(await numbers({ number: 'harb', status: 'online' })).toEqual(['HARB-0001']);
    expect(await numbers({ number: 'HARB', status: 'offline' })).toEqual(['HARB-0002']);
    expect(await numbers({ project_id: project.id, type: 5 })).toEqual(['HARB-0002']);
    expect(await numbers({ bound: false })).toEqual(['LOOSE-0001']);
    const { data } = await admin.call(list, 'limit=1&page=2&sort=-number', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(data).toMatchObject({ total: 4, page: 2, limit: 1, list: [{ number: 'LOOSE-0001' }] });
    expect(online.number).toBe('HARB-0001');
  });

  test.each(sorts)('the device list sorts by %s in both directions', async (field) => {
    const up = await admin.call(list, { sort: field });
    const down = await admin.call(list, { sort: `-${field}` });
    expect(up.data.list).toHaveLength(up.data.total);
    expect(down.data.list.map((row: { device_id: number }) => row.device_id)).toEqual(
      up.data.list.map((row: { device_id: number }) => row.device_id).reverse(),
    );
  });

  test('the device list shows all times of a device', async () => {
    const { id } = await makeDevice(world.db, { project_id: project.id, number: 'TIMES-0001' });
    const { rows } = await sql<{ table_name: string; column_name: string }>`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and table_name in ('devices', 'device_state')
        and data_type like 'timestamp%' and column_name <> 'deleted_at'`.execute(world.db);
    for (const { table_name, column_name } of rows)
      await sql`update ${sql.table(table_name)} set ${sql.ref(column_name)} = ${new Date(world.clock.now())}
        where ${sql.ref(table_name === 'devices' ? 'id' : 'device_id')} = ${id}`.execute(world.db);
    expect(rows.length).toBeGreaterThan(2);
    expect(await admin.call(list, { number: 'TIMES' })).toMatchObject({ status: 200, data: { total: 1 } });
    await world.db.updateTable('devices').set({ deleted_at: new Date() }).where('id', '=', id).execute();
  });

  test('the device list refuses an unknown sort field', async () => {
    expect((await admin.call(list, { sort: 'secret_hash' })).status).toBe(422);
  });

  test('the device list shows lines, closed lines, unprocessed alarms and the worst active alarm', async () => {
    const device = await makeDevice(world.db, { project_id: project.id, lines: 3, number: 'WORST-0001' });
    await world.pool.query(
      `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, channels)
       values ($1, $2, $2, 1, 1, 1, $2, '{}')`,
      [device.lines[0]!.id, new Date(world.clock.now())],
    );
    await makeAlarm(world.pool, device, { at: world.clock.now(), code: 101, level: 1 });
    await makeAlarm(world.pool, device, { at: world.clock.now(), code: 102, level: 2, cleared: true });
    await makeAlarm(world.pool, device, { at: world.clock.now(), code: 201, level: 2, handled: true });
    await makeAlarm(world.pool, device, { at: world.clock.now(), code: 301, level: 2, suppressed: true });
    const { data } = await admin.call(list, { number: 'WORST-0001' });
    expect(data.list[0]).toMatchObject({ lines: 3, lines_closed: 1, alarms: 2, worst: 1 });
  });

  test('the device list shows the time of the newest reading as the last contact, even if the stored contact is older', async () => {
    const now = world.clock.now();
    const device = await makeDevice(world.db, {
      project_id: project.id,
      online: true,
      number: 'HEARD-0001',
      last_seen: new Date(now - 30_000),
    });
    const heard = async () => (await admin.call(list, { number: 'HEARD-0001' })).data.list[0].last_seen;
    expect(await heard()).toBe(new Date(now - 30_000).toISOString());
    await world.pool.query(
      `insert into line_latest (line_id, at, received_at, boot, seq, channels) values ($1, $2, $2, 1, 1, '{}')`,
      [device.lines[0]!.id, new Date(now - 2000)],
    );
    expect(await heard()).toBe(new Date(now - 2000).toISOString());
    await makeDevice(world.db, {
      project_id: project.id,
      online: true,
      number: 'HEARD-0002',
      last_seen: new Date(now - 10_000),
    });
    const order = async (sort: string) =>
      (await admin.call(list, { number: 'HEARD-', sort })).data.list.map(
        (row: { number: string }) => row.number,
      );
    expect(await order('-last_seen')).toEqual(['HEARD-0001', 'HEARD-0002']);
    expect(await order('last_seen')).toEqual(['HEARD-0002', 'HEARD-0001']);
  });

  test('counts a line as open or closed only while its position is fresh, and never counts meters', async () => {
    const now = world.clock.now();
    const device = await makeDevice(world.db, { project_id: project.id, lines: 4, number: 'STALE-0001' });
    const report = (index: number, position: number | null, ago: number) =>
      world.pool.query(
        `insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, channels)
         values ($1, $2, $2, 1, 1, $3, $4, '{}')`,
        [device.lines[index]!.id, new Date(now), position, new Date(now - ago)],
      );
    await report(0, 1, 120_000);
    await report(1, 1, 120_001);
    await report(2, 0, 7_200_000);
    const counts = async (number: string) => (await admin.call(list, { number })).data.list[0];
    expect(await counts('STALE-0001')).toMatchObject({
      lines: 4,
      lines_open: 0,
      lines_closed: 1,
      lines_unknown: 3,
      lines_last_closed: 1,
      position_at: new Date(now - 7_200_000).toISOString(),
    });
    await makeDevice(world.db, { project_id: project.id, type: 5, lines: 2, number: 'METER-0001' });
    expect(await counts('METER-0001')).toMatchObject({
      lines: 2,
      lines_open: 0,
      lines_closed: 0,
      lines_unknown: 0,
      position_at: null,
    });
  });

  test('the device list shows a project operator their project, and a part operator their part', async () => {
    const inPart = await makeDevice(world.db, {
      project_id: project.id,
      part_id: part.id,
      number: 'PART-0001',
    });
    const mine = (await operator.call(list, { limit: 200 })).data.list;
    expect(mine.every((row: { project_id: number }) => row.project_id === project.id)).toBe(true);
    expect((await operator.call(list, { project_id: other.id })).data.total).toBe(0);
    const partial = await partOperator.call(list);
    expect(partial.data.list.map((row: { number: string }) => row.number)).toEqual([inPart.number]);
    expect((await partOperator.call('/device_info/devideType')).data).toEqual([
      { type: 3, count: 1, online: 0 },
    ]);
  });
});

describe('a device', () => {
  test('a device is added with a secret shown once, its own line and the lines of its type', async () => {
    const body = { number: 'NEW-000001', name: 'Board 1', type: 4, project_id: project.id, part_id: part.id };
    const serial = '0d3c2b1a-0000-4000-8000-000000000001';
    const added = await admin.call('/device/add_device', body, { 'accept-serial': serial });
    expect(added.status).toBe(200);
    const { device_id, secret } = added.data;
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    const again = await admin.call('/device/add_device', body, { 'accept-serial': serial });
    expect(again).toMatchObject({ status: 200, data: null });
    const stored = await world.db
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', device_id)
      .executeTakeFirstOrThrow();
    expect(stored.secret_hash).toEqual(createHash('sha256').update(secret).digest());
    const lines = await world.db
      .selectFrom('lines')
      .selectAll()
      .where('device_id', '=', device_id)
      .orderBy('n')
      .execute();
    expect(lines.map(({ n, poles, switchable }) => ({ n, poles, switchable }))).toEqual([
      { n: 0, poles: 3, switchable: false },
      { n: 1, poles: 3, switchable: true },
    ]);
    expect(world.heard('device.changed')).toContainEqual({ deviceId: device_id, what: 'place' });
    const log = await world.db
      .selectFrom('operation_log')
      .selectAll()
      .where('device_id', '=', device_id)
      .execute();
    expect(log).toMatchObject([{ key: 'device.add', project_id: project.id }]);
    expect(JSON.stringify(log)).not.toContain(secret);
  });

  test('a device is refused if the number is taken, the project foreign, the part of another project or there are too many lines', async () => {
    const body = { number: 'NEW-000002', name: 'Board 2', type: 7 };
    const taken = await admin.call('/device/add_device', { ...body, number: 'NEW-000001' });
    expect(taken).toMatchObject({ status: 409, data: { number: expect.any(String) } });
    expect((await admin.call('/device/add_device', { ...body, project_id: 999_999 })).status).toBe(404);
    const elsewhere = { ...body, project_id: other.id, part_id: part.id };
    expect((await admin.call('/device/add_device', elsewhere)).status).toBe(422);
    const many = await admin.call('/device/add_device', { ...body, lines: [{}, {}] });
    expect(many).toMatchObject({ status: 422, data: { lines: expect.stringContaining('1') } });
    expect((await operator.call('/device/add_device', body)).status).toBe(403);
    const regional = await world.as((await makeUser(world.db, { role: 2, region_id: 440000 })).id);
    const unplaced = await regional.call('/device/add_device', body);
    expect(unplaced).toMatchObject({ status: 422, data: { project_id: expect.any(String) } });
    expect((await regional.call('/device/add_device', { ...body, project_id: project.id })).status).toBe(200);
  });

  test('a device gets a new secret, and subscribers receive the change', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    await world.pool.query(
      `insert into line_latest (line_id, at, received_at, boot, seq, position, channels) values ($1, now(), now(), 7, 1, 1, '{}')`,
      [device.lines[0]!.id],
    );
    const { status, data } = await operator.call('/device/reset_secret', { device_id: device.id });
    expect(status).toBe(200);
    const stored = await world.db
      .selectFrom('devices')
      .select('secret_hash')
      .where('id', '=', device.id)
      .executeTakeFirstOrThrow();
    expect(stored.secret_hash).toEqual(createHash('sha256').update(data.secret).digest());
    await world.hears('device.changed', ({ deviceId }) => deviceId === device.id);
    // The device may be other hardware, whose boot counter begins again.
    const latest = await world.db
      .selectFrom('line_latest')
      .selectAll()
      .where('line_id', '=', device.lines[0]!.id)
      .executeTakeFirstOrThrow();
    expect(latest).toMatchObject({ boot: -1, position: 1 });
  });

  test('a clock that nobody knows has no error', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    const skewWith = async (state: { last_seen?: Date | null; clock_unknown?: boolean }) => {
      const with120 = { ...state, skew_ms: 120 };
      await world.db.updateTable('device_state').set(with120).where('device_id', '=', device.id).execute();
      const { data } = await operator.call('/device/get_device_detail', { device_id: device.id });
      return data.clock_skew_ms;
    };
    expect(await skewWith({ last_seen: null })).toBeNull();
    expect(await skewWith({ last_seen: new Date() })).toBe(120);
    expect(await skewWith({ clock_unknown: true })).toBeNull();
  });

  test('a device is shown in detail, including refused messages', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    await world.pool.query('update devices set learnt_seconds = 900 where id = $1', [device.id]);
    await world.pool.query(
      `update device_state set refused = '{"parse":2,"unknown_line":5}', takeovers = 1, address = '10.0.0.7' where device_id = $1`,
      [device.id],
    );
    const { data } = await operator.call('/device/get_device_detail', { device_id: device.id });
    expect(data).toMatchObject({
      number: device.number,
      time_zone: 'Asia/Shanghai',
      project_contact: { name: 'Li Wei' },
      refused: [
        { reason: 'unknown_line', count: 5 },
        { reason: 'parse', count: 2 },
      ],
      takeovers: 1,
      network_address: '10.0.0.7',
      upload_seconds: 60,
      interval_seconds: 900,
    });
    expect(data).not.toHaveProperty('secret_hash');
  });

  test.each([
    ['en-US', 'Guangdong, Shenzhen'],
    ['zh-CN', '广东省深圳市'],
    ['ru-RU', 'Гуандун, Шэньчжэнь'],
  ])('names its region in the language of a reader of %s', async (language, region) => {
    const there = await makeProject(world.db, { region_id: 440300 });
    const device = await makeDevice(world.db, { project_id: there.id });
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const path = '/device/get_device_detail';
    const { data } = await admin.call(path, { device_id: device.id }, { 'accept-language': language });
    expect(data.region).toBe(region);
  });

  test('gives the same fault for an unknown and an out-of-scope device', async () => {
    const foreign = await makeDevice(world.db, { project_id: other.id });
    for (const path of ['/device/get_device_detail', '/device/reset_secret', '/device_log/get_list']) {
      const hidden = await operator.call(path, { device_id: foreign.id });
      const unknown = await operator.call(path, { device_id: 999_999 });
      expect(hidden).toMatchObject({ status: 404, code: 404, data: null });
      expect(unknown.msg).toBe(hidden.msg);
    }
  });

  test('a device is taken out of its project; several at once, each with its result', async () => {
    const bound = await makeDevice(world.db, { project_id: project.id });
    const foreign = await makeDevice(world.db, { project_id: other.id });
    const device_ids = [bound.id, foreign.id, 999_999];
    const { data } = await operator.call('/Device/remove_device', { device_ids });
    expect(data.results).toEqual([
      { id: bound.id, result: 'done' },
      { id: foreign.id, result: 'denied', reason: 'device.missing', message: '设备不存在' },
      { id: 999_999, result: 'denied', reason: 'device.missing', message: '设备不存在' },
    ]);
    const again = await admin.call('/Device/remove_device', { device_ids: [bound.id] });
    expect(again).toMatchObject({ status: 200, code: 0, msg: '没有可执行的操作' });
    expect(again.data.results).toEqual([
      { id: bound.id, result: 'skipped', reason: 'device.notBound', message: '设备未绑定项目' },
    ]);
    expect(await admin.call('/Device/remove_device', { device_ids: [] })).toMatchObject({
      status: 422,
      data: { device_ids: '请选择设备' },
    });
  });
});

test('the history of commands is paged by cursor without gaps or repeats', async () => {
  const device = await makeDevice(world.db, { project_id: project.id });
  for (let number = 1; number <= 7; number++)
    await world.pool.query(
      `insert into commands (id, device_id, line_id, number, verb, state, cause, operator, address, created_at, expires_at, deadline_at)
       values (gen_random_uuid(), $1, $2, $3, 'open', 'verified', 'button', 'user', '', $4, $4, $4)`,
      [device.id, device.lines[0]!.id, number, new Date(world.clock.now() + Math.floor(number / 3) * 1000)],
    );
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await operator.call('/device_log/get_list', { device_id: device.id, limit: 3, cursor });
    expect(data.total).toBe(7);
    seen.push(...data.list.map((row: { number: number }) => row.number));
    cursor = data.next_cursor ?? undefined;
  } while (cursor);
  expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const broken = await operator.call('/device_log/get_list', { device_id: device.id, cursor: 'nonsense' });
  expect(broken.status).toBe(422);
});

test('the export holds every row of the filter, in the language of the caller, and text stays text', async () => {
  await makeDevice(world.db, { project_id: project.id, number: 'XLSX-00001' });
  const evil = await makeDevice(world.db, { project_id: project.id, number: 'XLSX-00002' });
  await world.db
    .updateTable('devices')
    .set({ name: '=HYPERLINK("http://x")\u0001', address: '@SUM(A1)' })
    .where('id', '=', evil.id)
    .execute();
  const { response, status } = await operator.call(
    '/Device/export',
    { number: 'XLSX' },
    { 'accept-language': 'ru' },
  );
  expect(status).toBe(200);
  expect(response.headers['content-type']).toContain('spreadsheetml');
  const [sheet] = (await readXlsx(response.rawPayload)).sheets;
  const [header, first, second] = sheet!.rows;
  expect(header!.slice(0, 2)).toEqual([deviceColumns.number['ru-RU'], deviceColumns.name['ru-RU']]);
  expect(first![0]).toBe('XLSX-00001');
  expect(second!.slice(0, 3)).toEqual(['XLSX-00002', '=HYPERLINK("http://x")', deviceTypeWords[3]['ru-RU']]);
  const registered = first![header!.indexOf(deviceColumns.registered_at['ru-RU'])];
  expect(registered).toEqual(new Date('2026-01-01T08:00:00Z'));
  expect(sheet!.rows).toHaveLength(3);
});

test('the map places each device of a filter at its own point, else at its project', async () => {
  const own = await makeDevice(world.db, { project_id: project.id, number: 'MAP-OWN-1' });
  await world.db.updateTable('devices').set({ lat: 30.5, lng: 114.25 }).where('id', '=', own.id).execute();
  const bound = await makeDevice(world.db, { project_id: project.id, number: 'MAP-PROJECT-1' });
  await makeDevice(world.db, { number: 'MAP-NOWHERE-1' });
  const { data } = await admin.call('/Device/map', { number: 'MAP-' });
  expect(data.truncated).toBe(false);
  expect(data.list).toMatchObject([
    { device_id: own.id, lat: 30.5, lng: 114.25, status: 'offline', worst: 0 },
    { device_id: bound.id, lat: expect.any(Number), lng: expect.any(Number) },
  ]);
  expect((await partOperator.call('/Device/map', { number: 'MAP-' })).data.list).toEqual([]);
});
