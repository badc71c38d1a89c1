import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { inBatch } from '#server/core/batch.ts';
import type { GroupEvent } from '#server/core/group.ts';
import { eventOf, lineOf, start } from '#test/alarm-feeder.ts';
import { alarmTables, emptyTables } from '#test/database.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmRoutes } from './alarms.routes.ts';
import { type AlarmRecorder, createAlarmRecorder } from './engine/engine.ts';

let world: World;
let recorder: AlarmRecorder;
let admin: Client;
let manager: Client;
let partManager: Client;
let mine: { id: number };
let device: Awaited<ReturnType<typeof makeDevice>>;
let inPart: typeof device;
let foreign: typeof device;

beforeAll(async () => {
  world = await createWorld(alarmRoutes);
  const { db } = world;
  mine = await makeProject(db, { name: 'Harbour' });
  const other = await makeProject(db, { name: 'Mill' });
  const part = await makePart(db, mine.id, 'North');
  device = await makeDevice(db, { project_id: mine.id });
  inPart = await makeDevice(db, { project_id: mine.id, part_id: part.id });
  foreign = await makeDevice(db, { project_id: other.id });
  const as = async (given: Parameters<typeof makeUser>[1]) => world.as((await makeUser(db, given)).id);
  admin = await as({ role: 1 });
  manager = await as({ role: 3, projects: [mine] });
  partManager = await as({ role: 32, projects: [{ id: mine.id, parts: [part.id] }] });
});
afterAll(() => world.close());
beforeEach(async () => {
  await emptyTables(world.pool, ...alarmTables);
  recorder = createAlarmRecorder();
  await recorder.load(world.pool);
});

const lineAt = (at: typeof device) =>
  lineOf({
    lineId: at.lines[0]!.id,
    deviceId: at.id,
    deviceLineId: at.deviceLine.id,
    projectId: at.project_id,
    partId: at.part_id,
  });
const send = async (...events: GroupEvent[]) => {
  const judgement = recorder.judge([], events, []);
  const client = await world.pool.connect();
  await client.query('begin');
  await inBatch(client, (batch) => judgement.write(batch));
  await client.query('commit');
  client.release();
  return judgement.settle();
};
/** A device reports an alarm that lasts one second. */
const moment = (at: typeof device, seconds: number, code = 804) => {
  const event = { code, eid: `${at.id}-${seconds}`, lvl: 1, val: 3, thr: 2 } as const;
  return send(
    eventOf(lineAt(at), seconds, { ...event, st: 'raise' }),
    eventOf(lineAt(at), seconds + 1, { ...event, st: 'clear' }),
  );
};
const log = async (who: Client, body: object = {}) =>
  (await who.call('/device_warning/event_list', body)).data as {
    list: { time: string; device_id: number; typeNumber: number }[];
    total: number;
    next_cursor: string | null;
  };
const iso = (seconds: number) => new Date(start + seconds * 1000).toISOString();

it('shows an alarm of less than two seconds with its end, and links to its details', async () => {
  const [raised] = await moment(device, 10);
  expect(await log(manager)).toEqual({
    list: [
      {
        device_id: device.id,
        device_number: device.number,
        project_id: mine.id,
        project_name: 'Harbour',
        part_name: '',
        line_id: device.lines[0]!.id,
        line_n: 1,
        line_name: 'Line 1',
        time: iso(10),
        ended_time: iso(11),
        level: 1,
        typeNumber: 804,
        phase: '',
        value_type: 10,
        value: 3,
        threshold: 2,
        reason: 'short',
        alarm_id: raised!.alarmId,
      },
    ],
    total: 1,
    more: false,
    page: 1,
    limit: 20,
    next_cursor: null,
  });
  const { data } = await manager.call('/device_warning/getDetatil', { id: raised!.alarmId });
  expect(data.history.map((step: { kind: string }) => step.kind)).toContain('fleeting');
});

it('shows a serious event of a switched-off type, with and without its end', async () => {
  recorder.setEnabled(502, false);
  const arc = (eid: string) => ({ code: 502, eid, lvl: 2, val: 9 }) as const;
  await send(eventOf(lineAt(device), 0, { ...arc('1-1'), st: 'raise' }));
  await send(eventOf(lineAt(device), 60, { ...arc('1-1'), st: 'clear' }));
  await send(eventOf(lineAt(device), 90, { ...arc('1-2'), st: 'raise' }));
  expect(await log(manager)).toMatchObject({
    total: 2,
    list: [
      { time: iso(90), ended_time: null, reason: 'off', alarm_id: null },
      { time: iso(0), ended_time: iso(60), reason: 'off', alarm_id: null, typeNumber: 502, level: 2 },
    ],
  });
});

it('does not list the end of an alarm whose type was switched off after it began', async () => {
  await send(eventOf(lineAt(device), 0, { code: 502, eid: '1-1', st: 'raise' }));
  recorder.setEnabled(502, false);
  await send(eventOf(lineAt(device), 60, { code: 502, eid: '1-1', st: 'clear' }));
  expect((await world.pool.query('select kind from alarm_events')).rows).toEqual([{ kind: 'cleared' }]);
  expect(await log(admin)).toMatchObject({ total: 0, list: [] });
});

it('each user reads the entries within their scope, and nobody reads it without a session', async () => {
  await moment(device, 0);
  await moment(inPart, 10);
  await moment(foreign, 20);
  const seen = async (who: Client) => {
    const { list, total } = await log(who);
    expect(total).toBe(list.length);
    return list.map((row) => row.device_id);
  };
  expect(await seen(admin)).toEqual([foreign.id, inPart.id, device.id]);
  expect(await seen(manager)).toEqual([inPart.id, device.id]);
  expect(await seen(partManager)).toEqual([inPart.id]);
  expect((await world.call('/device_warning/event_list', {})).status).toBe(401);
});

it('shows a device that came from another project, but does not link to the alarm of that project', async () => {
  await moment(foreign, 0);
  const move = (projectId: number | null) =>
    world.db.updateTable('devices').set({ project_id: projectId }).where('id', '=', foreign.id).execute();
  await move(mine.id);
  expect((await log(manager)).list).toMatchObject([{ reason: 'short', alarm_id: null }]);
  await move(foreign.project_id);
});

it('filters by each of its fields', async () => {
  await moment(device, 0);
  await moment(foreign, 3600, 204);
  const first = [device.id];
  const second = [foreign.id];
  const cases: [object, number[]][] = [
    [{}, [foreign.id, device.id]],
    [{ sort: 'time' }, [device.id, foreign.id]],
    [{ typeNumber: 204 }, second],
    [{ typeNumber: '204,804' }, [foreign.id, device.id]],
    [{ level: 2 }, []],
    [{ project_id: mine.id }, first],
    [{ project_name: 'arb' }, first],
    [{ number: foreign.number }, second],
    [{ number: '%' }, []],
    [{ device_id: device.id }, first],
    [{ line_id: foreign.lines[0]!.id }, second],
    [{ from: iso(60) }, second],
    [{ to: iso(60) }, first],
  ];
  for (const [filter, expected] of cases) {
    const { list, total } = await log(admin, filter);
    expect(
      list.map((row) => row.device_id),
      JSON.stringify(filter),
    ).toEqual(expected);
    expect(total, JSON.stringify(filter)).toBe(expected.length);
  }
  for (const wrong of [{ status: 'processed' }, { level: 3 }, { sort: 'code' }, { from: 'yesterday' }])
    expect((await admin.call('/device_warning/event_list', wrong)).status).toBe(422);
});

it('gives the same rows by cursor as by page in both orders while new events arrive', async () => {
  for (const seconds of [0, 10, 20, 30, 40]) await moment(device, seconds);
  // At the same time as the other event.
  await moment(foreign, 20);
  await moment(inPart, 20);
  for (const sort of ['time', '-time']) {
    const pages = [];
    for (let page = 1; page <= 4; page++) pages.push(...(await log(admin, { sort, page, limit: 2 })).list);
    const rows = [];
    let cursor: string | null = null;
    do {
      const part = await log(admin, { sort, limit: 2, ...(cursor === null ? {} : { cursor }) });
      rows.push(...part.list);
      cursor = part.next_cursor;
      if (sort === '-time') await moment(device, 1000 + rows.length * 10);
    } while (cursor !== null);
    expect(rows).toHaveLength(7);
    expect(rows).toEqual(pages);
  }
});

it('the log is counted up to ten thousand entries, and says if there are more', async () => {
  await world.pool.query(
    `insert into alarm_events (line_id, at, code, phase, level, kind)
     select $1, timestamptz '2026-01-01' + n * interval '1 minute', 804, 0, 1, 'raised' from generate_series(1, 10001) n`,
    [device.lines[0]!.id],
  );
  expect(await log(manager)).toMatchObject({ total: 10_000, more: true });
  expect(await log(manager, { from: '2026-01-01T00:02:00Z' })).toMatchObject({ total: 10_000, more: false });
  expect((await log(manager, { page: 501 })).list).toHaveLength(1);
});
