import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makePart, makeProject, makeUser } from '#test/factories.ts';
import type { Client } from '#test/world.ts';
import { type AlarmWorld, createAlarmWorld } from './alarms.world.ts';

let server: AlarmWorld;
let former: Client;
let owner: Client;
let other: number;

beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.renew();
  const { db } = server.world;
  other = (await makeProject(db)).id;
  former = await server.world.as(
    (await makeUser(db, { role: 3, projects: [{ id: server.line.projectId! }] })).id,
  );
  owner = await server.world.as((await makeUser(db, { role: 3, projects: [{ id: other }] })).id);
});

const give = (project_id: number | null, part_id: number | null = null) =>
  server.world.db
    .updateTable('devices')
    .set({ project_id, part_id })
    .where('id', '=', server.line.deviceId)
    .execute();
/** Runs the review that takes place every minute. */
const aMinuteLater = async (expected: () => Promise<boolean>) => {
  server.world.clock.advance(60_000);
  await expect.poll(expected).toBe(true);
};
const list = async (who: Client) =>
  (await who.call('/device_warning/WarningList', { limit: 50, sort: 'time' })).data.list as {
    id: number;
    typeNumber: number;
    active: boolean;
    status: string;
    level: number;
    follows: unknown;
  }[];
const stands = async (who: Client) => (await list(who)).filter(({ active }) => active);
const heat = async () => {
  await server.read(0, { 'T.m': 85 });
  await server.read(60, { 'T.m': 85 });
};

it('an active alarm ends for the former owner and begins, unprocessed, for the new one', async () => {
  await heat();
  await server.handleAll();
  expect(await stands(former)).toMatchObject([{ typeNumber: 402, status: 'processed' }]);
  await give(other);
  await aMinuteLater(async () => (await stands(owner)).length === 1);
  expect(await stands(former)).toEqual([]);
  expect(await list(former)).toMatchObject([{ typeNumber: 402, status: 'processed', active: false }]);
  const [next] = await stands(owner);
  expect(next).toMatchObject({ typeNumber: 402, level: 2, status: 'unprocessed', follows: null });
  const { data } = await former.call('/device_warning/getDetatil', { id: (await list(former))[0]!.id });
  expect(data.history.at(-1).kind).toBe('moved');
  expect((await owner.call('/device_warning/getDetatil', { id: data.id })).status).toBe(404);
  expect((await former.call('/device_warning/getDetatil', { id: next!.id })).status).toBe(404);
});

it('the alarm of a device that moves is announced to the new owner, and no all-clear is sent', async () => {
  await heat();
  const before = server.world.heard('alarms.changed').flat().length;
  await give(other);
  await aMinuteLater(async () => (await stands(owner)).length === 1);
  const changes = server.world.heard('alarms.changed').flat().slice(before);
  expect(changes.map(({ kind, quiet, projectId }) => [kind, quiet, projectId])).toEqual(
    expect.arrayContaining([
      ['raised', false, other],
      ['followed', true, server.line.projectId],
    ]),
  );
  expect(changes.some(({ kind }) => kind === 'cleared')).toBe(false);
});

it('the alarm of a device that moves continues as one alarm in the new project: it stays latched, survives a restart and ends by a reset', async () => {
  await heat();
  await give(other);
  await aMinuteLater(async () => (await stands(owner)).length === 1);
  await server.restart();
  const line = { ...server.line, projectId: other };
  for (const seconds of [120, 180, 240]) await server.read(seconds, {}, { line });
  expect(await stands(owner)).toMatchObject([{ typeNumber: 402 }]);
  await server.reset(300);
  expect(await stands(owner)).toEqual([]);
});

it('a moved device takes along an alarm that it raised itself, with its end and its consequences', async () => {
  await server.event(0, { st: 'raise', code: 109, eid: '1-1' });
  await server.event(5, { st: 'raise', code: 201, eid: '1-2' });
  await give(other);
  await aMinuteLater(async () => (await stands(owner)).length === 1);
  expect(await stands(owner)).toMatchObject([{ typeNumber: 109 }]);
  const { rows } = await server.world.pool.query(
    'select code, suppressed_by is not null as held from alarms where project_id = $1 order by code',
    [other],
  );
  expect(rows).toEqual([
    { code: 109, held: false },
    { code: 201, held: true },
  ]);
  await server.event(60, { st: 'clear', code: 201, eid: '1-2' });
  await server.event(70, { st: 'clear', code: 109, eid: '1-1' });
  expect(await stands(owner)).toEqual([]);
});

it('an alarm moves with the device to another part of the project; without a part only users of the whole project see it', async () => {
  await heat();
  const part = await makePart(server.world.db, server.line.projectId!);
  const ofPart = await server.world.as(
    (
      await makeUser(server.world.db, {
        role: 32,
        projects: [{ id: server.line.projectId!, parts: [part.id] }],
      })
    ).id,
  );
  await give(server.line.projectId, part.id);
  await aMinuteLater(async () => (await stands(ofPart)).length === 1);
  await give(null);
  await aMinuteLater(async () => (await stands(ofPart)).length === 0);
  expect(await stands(former)).toEqual([]);
  expect(await stands(server.operator)).toMatchObject([{ typeNumber: 402, status: 'unprocessed' }]);
});
