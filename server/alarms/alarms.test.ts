import { randomUUID } from 'node:crypto';
import { readXlsx } from 'hucre/xlsx';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { alarmTypeRoutes } from '#server/alarm-types/alarm-types.routes.ts';
import { inBatch } from '#server/core/batch.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { eventOf, lineOf, readingOf } from '#test/alarm-feeder.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmRoutes } from './alarms.routes.ts';
import { createAlarmRecorder } from './engine/engine.ts';
import { conditionsOf } from './filter.ts';
import { listenForAlarms } from './listen.ts';
import { mergeTallies, retally } from './tallies.ts';
import { countMatching, countOf } from './totals.ts';

let world: World;
let admin: Client;
let manager: Client;
let partManager: Client;
let reader: Client;
let stopListening: () => Promise<void>;
const recorder = createAlarmRecorder();
const places = {} as {
  mine: { id: number };
  other: { id: number };
  part: { id: number };
  device: Awaited<ReturnType<typeof makeDevice>>;
  foreign: Awaited<ReturnType<typeof makeDevice>>;
  inPart: Awaited<ReturnType<typeof makeDevice>>;
};
beforeAll(async () => {
  world = await createWorld((serve) => {
    alarmRoutes(serve);
    alarmTypeRoutes(serve, { provePassword });
  });
  const { db, pool, bus, clock } = world;
  places.mine = await makeProject(db, { name: 'Harbour' });
  places.other = await makeProject(db, { name: 'Mill' });
  places.part = await makePart(db, places.mine.id);
  places.device = await makeDevice(db, { project_id: places.mine.id });
  places.foreign = await makeDevice(db, { project_id: places.other.id });
  places.inPart = await makeDevice(db, { project_id: places.mine.id, part_id: places.part.id });
  const as = async (given: Parameters<typeof makeUser>[1]) => world.as((await makeUser(db, given)).id);
  admin = await as({ role: 1 });
  manager = await as({ role: 3, projects: [places.mine] });
  partManager = await as({ role: 32, projects: [{ id: places.mine.id, parts: [places.part.id] }] });
  reader = await as({ role: 40, letters: 'A', projects: [places.mine] });
  await recorder.load(pool);
  stopListening = listenForAlarms({ bus, pool, clock, recorder, onError: () => {} });
});
afterAll(async () => {
  await stopListening();
  await world.close();
});

let serial = 0;
/** An alarm in the table; omitted fields get default values. */
const makeAlarm = async (
  device: { id: number; project_id: number | null; part_id: number | null; lines: { id: number }[] },
  given: {
    code?: number;
    level?: number;
    minutesAgo?: number;
    active?: boolean;
    severity?: number;
    suppressed_by?: number;
  } = {},
): Promise<number> => {
  const at = new Date(world.clock.now() - (given.minutesAgo ?? 1) * 60_000);
  const n = ++serial;
  const { rows } = await sql<{ id: number }>`
    insert into alarms (line_id, id, device_id, project_id, part_id, code, phase, level, severity, source, event_id, work_order,
      raised_at, received_at, last_at, cleared_at, value, threshold, value_type, suppressed_by, original)
    values (${device.lines[0]?.id ?? 0}, nextval('alarm_ids'), ${device.id}, ${device.project_id}, ${device.part_id},
      ${given.code ?? 900 + (n % 100)}, 0, ${given.level ?? 2}, ${given.severity ?? 1}, 'device', null, ${`W20261120${String(n).padStart(6, '0')}`},
      ${at}, ${at}, ${at}, ${given.active === false ? at : null}, 61, 30, 4, ${given.suppressed_by ?? null}, '{"v":1}')
    returning id`.execute(world.db);
  return rows[0]?.id ?? 0;
};
const list = async (who: Client, filter: object = {}) =>
  (await who.call('/device_warning/WarningList', { limit: 200, ...filter })).data;
const idsOf = (data: { list: { id: number }[] }) => data.list.map((row) => row.id);
const fresh = () => world.db.deleteFrom('alarms').execute();

describe('the alarm list', () => {
  it('shows unprocessed alarms first, then the newest, each with its device, line and project', async () => {
    await fresh();
    const old = await makeAlarm(places.device, { minutesAgo: 50 });
    const done = await makeAlarm(places.device, { minutesAgo: 5 });
    const recent = await makeAlarm(places.device, { minutesAgo: 10, code: 301 });
    await admin.call('/device_warning/handle', { id: done, content: 'checked' });
    const data = await list(admin);
    expect(idsOf(data)).toEqual([recent, old, done]);
    expect(data.total).toBe(3);
    expect(data.list[0]).toMatchObject({
      typeNumber: 301,
      status: 'unprocessed',
      active: true,
      device_number: places.device.number,
      project_name: 'Harbour',
      line_name: 'Line 1',
      value: 61,
      threshold: 30,
      original_data: { v: 1 },
    });
    expect(data.list[2]).toMatchObject({ status: 'processed', processing_content: 'checked' });
  });
  it('sorts unprocessed first, by severity, then active before cleared, then newest, by page and by cursor', async () => {
    await fresh();
    const minor = await makeAlarm(places.device, { minutesAgo: 1, severity: 4 });
    const ended = await makeAlarm(places.device, { minutesAgo: 2, severity: 1, active: false });
    const old = await makeAlarm(places.device, { minutesAgo: 90, severity: 1 });
    const high = await makeAlarm(places.device, { minutesAgo: 5, severity: 2 });
    const young = await makeAlarm(places.device, { minutesAgo: 60, severity: 1 });
    const done = await makeAlarm(places.device, { minutesAgo: 3, severity: 1 });
    await admin.call('/device_warning/handle', { id: done, content: 'checked' });
    const open = [young, old, ended, high, minor];
    expect(idsOf(await list(admin))).toEqual([...open, done]);
    expect(idsOf(await list(manager, { status: 'unprocessed' }))).toEqual(open);
    for (const filter of [{}, { status: 'unprocessed' }]) {
      const found: number[] = [];
      let cursor: string | undefined;
      do {
        const data = await list(admin, { ...filter, limit: 2, ...(cursor ? { cursor } : {}) });
        found.push(...idsOf(data));
        cursor = data.next_cursor ?? undefined;
      } while (cursor);
      expect(found).toEqual('status' in filter ? open : [...open, done]);
    }
    expect(idsOf(await list(admin, { sort: '-time' }))[0]).toBe(minor);
  });
  it('gives the same rows by cursor as by page while new alarms arrive', async () => {
    await fresh();
    const made: number[] = [];
    for (let n = 0; n < 9; n++) made.push(await makeAlarm(places.device, { minutesAgo: 100 + n }));
    await admin.call('/device_warning/batchHandle', { ids: made.slice(4), content: 'checked' });
    const byPage = [];
    for (let page = 1; page <= 3; page++) byPage.push(...idsOf(await list(admin, { limit: 4, page })));
    const byCursor: number[] = [];
    let cursor: string | undefined;
    do {
      const data = await list(admin, { limit: 4, ...(cursor ? { cursor } : {}) });
      byCursor.push(...idsOf(data));
      cursor = data.next_cursor ?? undefined;
      await makeAlarm(places.device, { minutesAgo: 0 });
    } while (cursor);
    expect(byPage).toEqual(made);
    expect(byCursor).toEqual(made);
  });
  it('filters by each of its fields', async () => {
    await fresh();
    const leak = await makeAlarm(places.device, { code: 301, level: 1, minutesAgo: 30 });
    const hot = await makeAlarm(places.foreign, { code: 402, active: false, minutesAgo: 90 });
    const hidden = await makeAlarm(places.device, { code: 102, suppressed_by: leak });
    const now = world.clock.now();
    const cases: [object, number[]][] = [
      [{ typeNumber: 301 }, [leak]],
      [{ typeNumber: '301,402' }, [leak, hot]],
      [{ level: 2 }, [hot]],
      [{ project_id: places.other.id }, [hot]],
      [{ project_name: 'arb' }, [leak]],
      [{ number: places.foreign.number }, [hot]],
      [{ device_id: places.device.id }, [leak]],
      [{ active: true }, [leak]],
      [{ active: 'false' }, [hot]],
      [{ suppressed: true }, [hidden]],
      [{ from: new Date(now - 3_600_000).toISOString() }, [leak]],
      [{ to: new Date(now - 3_600_000).toISOString() }, [hot]],
      [{ status: 'processed' }, []],
      [{ number: '%' }, []],
      [{ severity: 2 }, []],
      [{ sort: 'time' }, [hot, leak]],
    ];
    for (const [filter, expected] of cases) {
      const data = await list(admin, filter);
      expect(data, JSON.stringify(filter)).toHaveProperty('list');
      expect(idsOf(data), JSON.stringify(filter)).toEqual(expected);
      expect(data.total, JSON.stringify(filter)).toBe(expected.length);
    }
  });
  it('the alarm list is exported as a spreadsheet of what the filter shows', async () => {
    await fresh();
    await makeAlarm(places.device, { code: 301 });
    await makeAlarm(places.foreign, { code: 402 });
    const { response } = await manager.call('/device_warning/export', {}, { 'accept-language': 'ru-RU' });
    const book = await readXlsx(new Uint8Array(response.rawPayload));
    const [header, ...rows] = book.sheets[0]?.rows ?? [];
    expect(header?.slice(0, 3)).toEqual(['Заявка', 'Время', 'Тип сигнала']);
    expect(rows.map((row) => [row[2], row[11], row[14]])).toEqual([
      ['Превышение дифференциального тока (тока утечки)', 61, 'mA'],
    ]);
  });
  it('the alarm list is exported with value, peak and threshold in the precision of their unit', async () => {
    await fresh();
    const id = await makeAlarm(places.device, { code: 301 });
    await world.db
      .updateTable('alarms')
      .set({ value: 61.234_567, peak: 70.9, threshold: 30.04 })
      .where('id', '=', id)
      .execute();
    const { response } = await manager.call('/device_warning/export', {}, { 'accept-language': 'en-US' });
    const [header, row] = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
    const cell = (name: string) => row?.[header?.indexOf(name) ?? -1];
    expect(['Value', 'Peak', 'Threshold', 'Unit'].map(cell)).toEqual([61, 71, 30, 'mA']);
  });
  it('shows each caller only the alarms in their scope', async () => {
    await fresh();
    const mine = await makeAlarm(places.device);
    const inPart = await makeAlarm(places.inPart, { minutesAgo: 2 });
    await makeAlarm(places.foreign);
    expect(idsOf(await list(manager))).toEqual([mine, inPart]);
    expect(idsOf(await list(partManager))).toEqual([inPart]);
    expect((await list(partManager)).total).toBe(1);
    expect((await partManager.call('/device_warning/getDetatil', { id: mine })).status).toBe(404);
    expect((await partManager.call('/device_warning/get_news_tips')).data.unprocessed).toBe(1);
  });
});

describe('handling', () => {
  it('handling requires a text, cannot be undone, and reports the result for each alarm', async () => {
    await fresh();
    const [first, second] = [await makeAlarm(places.device), await makeAlarm(places.inPart)];
    const foreign = await makeAlarm(places.foreign);
    for (const content of ['', ' x ', 'x'.repeat(501)]) {
      const refused = await manager.call('/device_warning/handle', { id: first, content });
      expect(refused.status).toBe(422);
      expect(Object.keys(refused.data)).toEqual(['content']);
    }
    await manager.call('/device_warning/handle', { id: first, content: 'tightened the terminal' });
    const batch = await manager.call('/device_warning/batchHandle', {
      ids: [first, second, foreign, 999_999],
      content: 'all checked',
    });
    expect(batch.data).toMatchObject({ done: 1, skipped: 1, denied: 2 });
    expect(batch.data.results).toEqual([
      { id: first, result: 'skipped', reason: 'processed' },
      { id: second, result: 'done' },
      { id: foreign, result: 'denied', reason: 'missing' },
      { id: 999_999, result: 'denied', reason: 'missing' },
    ]);
    const { data } = await manager.call('/device_warning/getDetatil', { id: first });
    expect(data).toMatchObject({ processing_content: 'tightened the terminal', status: 'processed' });
    expect(data.history).toMatchObject([{ kind: 'handled', data: { content: 'tightened the terminal' } }]);
    expect(world.heard('alarms.changed').flat()).toContainEqual(
      expect.objectContaining({ alarmId: second, kind: 'handled' }),
    );
  });
  it('accepts a text that was written offline, unless the alarm has changed since', async () => {
    await fresh();
    const [same, other] = [await makeAlarm(places.device), await makeAlarm(places.device)];
    const seen = async (id: number): Promise<number> =>
      (await manager.call('/device_warning/getDetatil', { id })).data.revision;
    const send = (id: number, revision: number) =>
      manager.call('/device_warning/handle', {
        ...{ id, revision, content: 'fuse replaced' },
        written_at: '2026-11-20T10:00:00.000Z',
      });
    const revision = await seen(other);
    await manager.call('/device_warning/toPush', { id: other });
    expect((await send(other, revision)).data).toMatchObject({
      done: 0,
      results: [{ id: other, result: 'skipped', reason: 'changed' }],
    });
    expect((await send(other, await seen(other))).data).toMatchObject({ done: 1 });
    expect((await send(same, await seen(same))).data).toMatchObject({ done: 1 });
    const { data } = await manager.call('/device_warning/getDetatil', { id: same });
    expect(data).toMatchObject({ processing_content: 'fuse replaced', status: 'processed' });
    expect(data.history.at(-1)).toMatchObject({
      kind: 'handled',
      data: { content: 'fuse replaced', written_at: '2026-11-20T10:00:00.000Z' },
    });
  });
  it('reports that no alarm was handled, also when the stored answer is repeated', async () => {
    await fresh();
    const id = await makeAlarm(places.device);
    const handle = (serial: string, language: string) =>
      manager.call(
        '/device_warning/handle',
        { id, content: 'checked' },
        { 'accept-serial': serial, 'accept-language': language },
      );
    expect(await handle(randomUUID(), 'en-US')).toMatchObject({ code: 200, msg: 'Operation successful!' });
    const serial = randomUUID();
    const nothing = { status: 200, code: 0, msg: 'Nothing to do', data: { done: 0, skipped: 1 } };
    expect(await handle(serial, 'en-US')).toMatchObject(nothing);
    expect(await handle(serial, 'en-US')).toMatchObject(nothing);
    expect(await handle(randomUUID(), 'zh-CN')).toMatchObject({ code: 0, msg: '没有可执行的操作' });
    expect(await handle(randomUUID(), 'ru-RU')).toMatchObject({
      code: 0,
      msg: 'Нет действий для выполнения',
    });
  });
  it('shows the limits of the line and how earlier alarms of the same type were handled', async () => {
    await fresh();
    const before = await makeAlarm(places.device, { code: 301, active: false, minutesAgo: 60 });
    await makeAlarm(places.device, { code: 201 });
    const id = await makeAlarm(places.device, { code: 301 });
    await manager.call('/device_warning/handle', { id: before, content: 'seal replaced' });
    const { data } = await manager.call('/device_warning/getDetatil', { id });
    expect(data.earlier).toMatchObject([{ id: before, processing_content: 'seal replaced' }]);
    expect(data.limits.early).toBeLessThan(data.limits.alarm);
    const first = await manager.call('/device_warning/getDetatil', { id: before });
    expect(first.data.earlier).toEqual([]);
  });
  it('compares the readings with the limits of the alarm only if the alarm was judged by them', async () => {
    const shown = async (code: number, value: number) => {
      await fresh();
      const id = await makeAlarm(places.device, { code });
      await world.db
        .updateTable('alarms')
        .set({ value, value_type: alarmTypeOf(code)!.valueType })
        .where('id', '=', id)
        .execute();
      const { around, limits } = (await manager.call('/device_warning/getDetatil', { id })).data;
      return { channel: around.channel, comparable: around.comparable, limits };
    };
    expect(await shown(alarmCodes.leakage, 31)).toMatchObject({ channel: 'IL', comparable: true });
    expect(await shown(alarmCodes.leakageStep, 31)).toMatchObject({ channel: 'IL', comparable: false });
    expect(await shown(alarmCodes.neutralLoss, 50)).toMatchObject({ channel: 'U.a', comparable: false });
    expect(await shown(alarmCodes.voltageUnbalance, 5)).toMatchObject({ comparable: false });
    expect(await shown(alarmCodes.offline, 1)).toMatchObject({ channel: null, comparable: false });
    const below = { early: 49.8, alarm: 49.5 };
    expect(await shown(alarmCodes.frequency, 49.4)).toMatchObject({ comparable: true, limits: below });
    const above = { early: 60.2, alarm: 60.5 };
    expect(await shown(alarmCodes.frequency, 60.6)).toMatchObject({ comparable: true, limits: above });
  });
  it('hides how alarms in other projects were handled, and shows at most ten earlier alarms', async () => {
    await fresh();
    for (let minute = 1; minute <= 12; minute += 1)
      await makeAlarm(places.device, { code: 301, active: false, minutesAgo: 100 - minute });
    const foreign = await makeAlarm(places.device, { code: 301, active: false, minutesAgo: 20 });
    await world.db
      .updateTable('alarms')
      .set({ project_id: places.other.id })
      .where('id', '=', foreign)
      .execute();
    const id = await makeAlarm(places.device, { code: 301 });
    const { earlier } = (await manager.call('/device_warning/getDetatil', { id })).data;
    expect(earlier).toHaveLength(10);
    expect(earlier.map((each: { id: number }) => each.id)).not.toContain(foreign);
    const times = earlier.map((each: { time: string }) => each.time);
    expect(times).toEqual(times.toSorted().toReversed());
  });
  it('handling does not reset a latched alarm', async () => {
    await fresh();
    const id = await makeAlarm(places.device, { code: 301 });
    await world.db
      .updateTable('alarms')
      .set({ latched: true, normal_at: new Date(world.clock.now()) })
      .where('id', '=', id)
      .execute();
    expect((await manager.call('/device_warning/handle', { id, content: 'checked' })).data.done).toBe(1);
    const { data } = await manager.call('/device_warning/getDetatil', { id });
    expect(data).toMatchObject({ status: 'processed', active: true, reset_needed: true });
  });
  it('one of two operators who handle the same alarm at once succeeds', async () => {
    await fresh();
    const id = await makeAlarm(places.device);
    const both = await Promise.all(
      [admin, manager].map((who) => who.call('/device_warning/handle', { id, content: 'on it' })),
    );
    expect(both.map((answer) => answer.data.done).sort()).toEqual([0, 1]);
  });
  it('handling all matching alarms handles exactly those, and refuses when their number has changed', async () => {
    await fresh();
    for (let n = 0; n < 5; n++) await makeAlarm(places.device);
    const filter = { status: 'unprocessed', project_id: places.mine.id };
    const given = { filter, content: 'storm over' };
    const stale = await manager.call('/device_warning/batchHandle', { ...given, expected: 4 });
    expect(stale).toMatchObject({ status: 409, data: { count: 5 } });
    expect((await manager.call('/device_warning/batchHandle', { ...given, expected: 5 })).data.done).toBe(5);
    expect((await list(manager, { status: 'unprocessed' })).total).toBe(0);
  });
  it('handling is refused without the permission, without a session, and with unknown fields', async () => {
    const id = await makeAlarm(places.device);
    for (const path of ['handle', 'batchHandle', 'toPush', 'del_war']) {
      expect((await reader.call(`/device_warning/${path}`, { id, content: 'xx' })).status).toBe(403);
      expect((await world.call(`/device_warning/${path}`, { id, content: 'xx' })).status).toBe(401);
    }
    expect((await manager.call('/device_warning/handle', { id, content: 'xx', extra: 1 })).status).toBe(422);
    expect((await manager.call('/device_warning/batchHandle', { content: 'xx' })).status).toBe(422);
    expect((await manager.call('/device_warning/toPush', {})).status).toBe(422);
  });
});

describe('urging', () => {
  it('reminds of unprocessed alarms at most once in ten minutes', async () => {
    await fresh();
    const [open, done] = [await makeAlarm(places.device), await makeAlarm(places.device)];
    await manager.call('/device_warning/handle', { id: done, content: 'checked' });
    const urge = async () =>
      (await manager.call('/device_warning/toPush', { ids: [open, done] })).data.results;
    expect(await urge()).toEqual([
      { id: open, result: 'done' },
      { id: done, result: 'skipped', reason: 'processed' },
    ]);
    expect((await urge())[0]).toEqual({ id: open, result: 'skipped', reason: 'recently' });
    world.clock.advance(600_000);
    expect((await urge())[0]).toEqual({ id: open, result: 'done' });
    expect((await list(manager, { status: 'unprocessed' })).list[0].urged).toBe(2);
  });
});

describe('deleting', () => {
  it('deletes only alarms that are processed and cleared, and keeps the row', async () => {
    await fresh();
    const over = await makeAlarm(places.device, { active: false });
    const open = await makeAlarm(places.device, { active: false });
    const active = await makeAlarm(places.device);
    await manager.call('/device_warning/batchHandle', { ids: [over, active], content: 'checked' });
    const { data } = await manager.call('/device_warning/del_war', { ids: [over, open, active] });
    expect(data.results).toEqual([
      { id: over, result: 'done' },
      { id: open, result: 'skipped', reason: 'unprocessed' },
      { id: active, result: 'skipped', reason: 'active' },
    ]);
    expect(idsOf(await list(manager)).sort()).toEqual([open, active].sort());
    expect((await manager.call('/device_warning/getDetatil', { id: over })).status).toBe(404);
    const row = await world.db.selectFrom('alarms').selectAll().where('id', '=', over).executeTakeFirst();
    expect(row).toMatchObject({ deleted_by: manager.userId });
  });
});

describe('counts', () => {
  it('counts of the bell, the totals and the distribution agree with the list', async () => {
    await fresh();
    await makeAlarm(places.device, { code: 301 });
    await makeAlarm(places.device, { code: 402, level: 1, minutesAgo: 2 });
    const done = await makeAlarm(places.foreign, { code: 301, active: false });
    await admin.call('/device_warning/handle', { id: done, content: 'checked' });
    expect((await admin.call('/device_warning/get_news_tips')).data).toMatchObject({
      unprocessed: 2,
      alarms: 1,
      early_warnings: 1,
      critical: 2,
      newest: [{ typeNumber: 301 }, { typeNumber: 402 }],
    });
    const census = (await admin.call('/device_warning/warin_census')).data;
    expect(census).toMatchObject({ total: 3, unprocessed: 2, processed: 1, alarms: 2, active: 2 });
    expect(census.handling_rate).toBeCloseTo(1 / 3);
    expect((await admin.call('/device_warning/warin_type_spread')).data.types).toEqual([
      { typeNumber: 301, count: 2, unprocessed: 1, active: 1 },
      { typeNumber: 402, count: 1, unprocessed: 1, active: 1 },
    ]);
  });
});

describe('from a reading to the drawer', () => {
  const lineHere = () => {
    const [line] = places.device.lines;
    return lineOf({
      lineId: line?.id ?? 0,
      deviceId: places.device.id,
      deviceLineId: places.device.deviceLine.id,
      projectId: places.mine.id,
    });
  };
  const record = async (judgement: ReturnType<typeof recorder.judge>) => {
    const client = await world.pool.connect();
    await client.query('begin');
    await inBatch(client, (batch) => judgement.write(batch));
    await client.query('commit');
    client.release();
    return judgement.settle();
  };
  it('an alarm that ended within two seconds is in no list, but a user who was notified of it can open it', async () => {
    const id = await makeAlarm(places.device, { active: false });
    await world.db
      .updateTable('alarms')
      .set({ deleted_at: new Date(world.clock.now()) })
      .where('id', '=', id)
      .execute();
    expect(idsOf(await list(manager))).not.toContain(id);
    expect((await manager.call('/device_warning/getDetatil', { id })).data).toMatchObject({ id });
    expect((await partManager.call('/device_warning/getDetatil', { id })).code).not.toBe(200);
  });
  it('an alarm shows the readings around it, the line and who did what', async () => {
    await fresh();
    const line = lineHere();
    const values = { 'U.a': 220, 'I.a': 3, IL: 75 };
    const seconds = (world.clock.now() - readingOf(line, 0, values).at) / 1000;
    const reading = readingOf(line, seconds, values);
    await sql`create table if not exists readings_test partition of readings default`.execute(world.db);
    await sql`insert into readings (line_id, at, boot, seq, rx_ms, position, channels)
      values (${line.lineId}, ${new Date(reading.at)}, 1, 1, 0, 1, ${reading.channels}::real[])`.execute(
      world.db,
    );
    await sql`insert into line_latest (line_id, at, received_at, boot, seq, position, trip, channels)
      values (${line.lineId}, ${new Date(reading.at)}, ${new Date(reading.at)}, 1, 1, 1, 0, ${reading.channels}::real[])`.execute(
      world.db,
    );
    const [change] = await record(recorder.judge([reading], [], []));
    const { data } = await manager.call('/device_warning/getDetatil', { id: change?.alarmId });
    expect(data).toMatchObject({
      typeNumber: 301,
      electricity_data: { IL: 75 },
      around: { channel: 'IL', unit: 'mA', at: [reading.at], values: [75] },
      line_state: {
        ...{ state: 'closed', observed_at: null, stale: true },
        ...{ values_at: new Date(reading.at).toISOString(), values_stale: false, interval_seconds: 60 },
        values: { 'U.a': 220 },
      },
      contacts: [{ name: 'Li Wei', phone: '13800000000' }],
      history: [{ kind: 'raised', operator: null }],
    });
    const meter = (switchable: boolean) =>
      world.db.updateTable('lines').set({ switchable }).where('id', '=', line.lineId).execute();
    await meter(false);
    const measured = await manager.call('/device_warning/getDetatil', { id: change?.alarmId });
    expect(measured.data.line_state).toMatchObject({ state: null, values: { 'U.a': 220 } });
    await meter(true);
  });
  it('a verified reset ends a latched alarm', async () => {
    await fresh();
    const line = lineHere();
    await recorder.load(world.pool);
    await record(recorder.judge([], [eventOf(line, 0, { st: 'raise', code: 502, latched: true })], []));
    world.bus.emit('command.changed', {
      commandId: '00000000-0000-4000-8000-000000000000',
      deviceId: places.device.id,
      lineId: places.device.deviceLine.id,
      state: 'verified',
      verb: 'reset',
      batchId: null,
    });
    await world.hears('alarms.changed', (changes) =>
      changes.some((change) => change.code === 502 && change.kind === 'cleared'),
    );
    expect((await list(manager)).list).toMatchObject([{ typeNumber: 502, active: false }]);
  });
});

describe('stored totals', () => {
  it('the stored totals equal the sum of the listed alarms after alarms were raised, escalated, suppressed, handled, deleted and merged', async () => {
    await fresh();
    await world.db.deleteFrom('alarm_tallies').execute();
    await recorder.load(world.pool);
    const wide = lineOf({ lineId: 7001, deviceId: 7000, type: 4, ratedCurrent: 63 });
    const run = async (seconds: number, values: Record<string, number>) => {
      const judgement = recorder.judge([readingOf(wide, seconds, values)], [], []);
      if (judgement.empty) return;
      const client = await world.pool.connect();
      await client.query('begin');
      await inBatch(client, (batch) => judgement.write(batch));
      await client.query('commit');
      client.release();
      judgement.settle();
    };
    const exact = async () => {
      const tallied = await sql`select code, level, severity, processed, sum(n)::int as n from alarm_tallies
        group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4`.execute(world.db);
      const counted = await sql`select code, level, severity, processed, count(*)::int as n from alarms
        where deleted_at is null and suppressed_by is null group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(
        world.db,
      );
      expect(tallied.rows).toEqual(counted.rows);
      return counted.rows.length;
    };
    const good = { 'U.a': 220, 'U.b': 220, 'U.c': 220, IL: 50 };
    for (const seconds of [0, 10, 20]) await run(seconds, { ...good, 'U.b': 80, IL: 200 });
    await run(30, { ...good, 'U.b': 80, IL: 400 });
    expect(await exact()).toBeGreaterThan(1);
    for (const seconds of [60, 90, 120]) await run(seconds, { ...good, 'U.b': 190 });
    await exact();
    for (const seconds of [180, 240, 300]) await run(seconds, good);
    const shown = idsOf(await list(admin));
    await admin.call('/device_warning/batchHandle', { ids: shown, content: 'checked' });
    await exact();
    await admin.call('/device_warning/del_war', { ids: shown });
    await exact();
    await mergeTallies(world.pool);
    await exact();
    await retally(world.pool);
    await exact();
  });
  it('the stored totals equal those of the rows', async () => {
    await fresh();
    await world.db.deleteFrom('alarm_tallies').execute();
    await sql`insert into alarms (line_id, id, device_id, code, level, severity, source, work_order, raised_at, received_at,
        last_at, cleared_at, value_type, handled_at)
      select 1, 1000000 + n, 1, (array[101, 301, 402])[1 + n % 3], 1 + n % 2, 1 + n % 4, 'server', 'W' || n,
        at, at, at, case when n % 50 > 0 then at end, 1, case when n % 10 > 0 then at end
      from generate_series(1, 21000) n,
        lateral (select timestamptz '2026-01-01' + n * interval '20 minutes' as at) t
      on conflict do nothing`.execute(world.db);
    await retally(world.pool);
    const scope = { all: true } as const;
    for (const filter of [
      {},
      { status: 'unprocessed' as const },
      { level: 2, typeNumber: [101, 402] },
      { severity: 3, status: 'processed' as const },
      { active: false },
      { active: true },
      { from: '2026-02-01T00:00:00Z' },
      { from: '2026-01-20T00:00:00Z', to: '2026-09-01T00:00:00Z', level: 1, active: false },
      { from: '2026-05-01T00:00:00Z', to: '2026-05-02T00:00:00Z' },
    ])
      expect(await countMatching(world.db, scope, filter), JSON.stringify(filter)).toBe(
        await countOf(world.db, await conditionsOf(world.db, scope, filter)),
      );
    await fresh();
    await retally(world.pool);
  });
});

describe('alarm types', () => {
  it('alarm types are named in the reader’s language', async () => {
    const names = async (language: string) =>
      (await admin.call('/device_warning_type/get_list', {}, { 'accept-language': language })).data.list;
    expect(await names('en-US')).toHaveLength(44);
    expect((await names('en-US'))[0]).toMatchObject({
      typeNumber: 101,
      name: 'Overvoltage',
      status: 'enabled',
    });
    expect((await names('ru-RU'))[0].name).toBe('Повышенное напряжение');
    expect((await names('zh-CN'))[0].name).toBe('过压');
  });
  it('alarm types can be switched off by an administrator, and then raise no alarm', async () => {
    const set = (who: Client, typeNumber: number, enabled: boolean) =>
      who.call('/device_warning_type/set_status', { typeNumber, enabled });
    expect((await set(manager, 804, false)).status).toBe(403);
    expect((await set(admin, 999, false)).status).toBe(404);
    expect((await set(admin, 804, false)).data).toEqual({ typeNumber: 804, status: 'disabled' });
    const event = eventOf(
      lineOf({ lineId: places.device.lines[0]?.id ?? 0, deviceId: places.device.id }),
      900,
      {
        st: 'raise',
        code: 804,
        eid: '9-1',
      },
    );
    expect(recorder.judge([], [event], []).empty).toBe(true);
    const { data } = await admin.call('/device_warning_type/get_list', { status: 'disabled' });
    expect(data.list.map((type: { typeNumber: number }) => type.typeNumber)).toEqual([304, 405, 504, 804]);
    await set(admin, 804, true);
  });
});
