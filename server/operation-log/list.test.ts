import { glob, readFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { operationChannels } from '#contract/operation-log.ts';
import { operationActs, operationSubjects, operationText } from '#contract/operation-words.ts';
import { appendOperations } from '#server/core/operation-log.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { operationLogRoutes } from './operation-log.routes.ts';

let world: World;
let admin: Client;
let manager: Client;
let managerId: number;
let mine: number;
let foreign: number;
beforeAll(async () => {
  world = await createWorld((serve) => operationLogRoutes(serve));
  mine = (await makeProject(world.db, { name: 'Mine' })).id;
  foreign = (await makeProject(world.db, { name: 'Foreign' })).id;
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  managerId = (await makeUser(world.db, { role: 3, username: 'manager', projects: [{ id: mine }] })).id;
  manager = await world.as(managerId);
  const device = await makeDevice(world.db, { project_id: mine });
  const row = (key: string, minute: number, given: object = {}) => ({
    at: new Date(world.clock.now() - 60 * 60_000 + minute * 60_000),
    userId: null as number | null,
    operator: 'somebody',
    key,
    channel: 'web',
    address: '10.0.0.7',
    requestId: `r${minute}`,
    outcome: 'done' as const,
    code: 200,
    projectId: null as number | null,
    deviceId: null as number | null,
    parameters: { minute },
    ...given,
  });
  const rows = [
    row('session.signIn', 1, { userId: managerId, operator: 'manager' }),
    row('alarm.handle', 2, { projectId: mine }),
    row('alarmType.setStatus', 3),
    row('control.command', 4, { projectId: foreign, outcome: 'refused', code: 409 }),
    row('control.command', 5, { projectId: mine, deviceId: device.id, operator: 'timer', channel: 'timer' }),
  ];
  await world.db.transaction().execute((trx) => appendOperations(trx, rows));
});
afterAll(() => world.close());

const list = async (by: Client, body: object = {}) =>
  (await by.call('/operation_log/get_list', body, { 'accept-language': 'en-US' })).data;
const minutesOf = ({ list: rows }: { list: { parameters: { minute: number } }[] }) =>
  rows.map(({ parameters }) => parameters.minute);

test('lists the newest first and names operator, project and act in the reader’s language', async () => {
  const page = await list(admin, { limit: 2 });
  expect(page).toMatchObject({ total: 5, more: false, limit: 2 });
  expect(page.list[0]).toMatchObject({
    operator: 'timer',
    key: 'control.command',
    description: 'Remote control: command',
    project_name: 'Mine',
    client_ip: '10.0.0.7',
    channel: 'timer',
  });
  expect(minutesOf(page)).toEqual([5, 4]);
  expect(minutesOf(await list(admin, { limit: 2, cursor: page.next_cursor }))).toEqual([3, 2]);
  expect(minutesOf(await list(admin, { limit: 2, page: 3 }))).toEqual([1]);
  expect(minutesOf(await list(admin, { sort: 'time', limit: 3 }))).toEqual([1, 2, 3]);
});

test('filters by date, operator, key identifier, outcome and device', async () => {
  const at = (minute: number) => new Date(world.clock.now() - 60 * 60_000 + minute * 60_000).toISOString();
  expect(minutesOf(await list(admin, { from: at(2), to: at(4) }))).toEqual([3, 2]);
  expect(minutesOf(await list(admin, { operator: 'mana' }))).toEqual([1]);
  expect(minutesOf(await list(admin, { operator: 'timer' }))).toEqual([5]);
  expect(minutesOf(await list(admin, { operator: 'SOME' }))).toEqual([4, 3, 2]);
  expect(minutesOf(await list(admin, { operator: 'm' }))).toEqual([5, 4, 3, 2, 1]);
  expect(await list(admin, { operator: 'nobody else' })).toMatchObject({ total: 0, list: [] });
  expect(minutesOf(await list(admin, { key: 'alarm' }))).toEqual([2]);
  expect(minutesOf(await list(admin, { key: 'alarmType.setStatus' }))).toEqual([3]);
  expect(minutesOf(await list(admin, { outcome: 'refused' }))).toEqual([4]);
  expect(await list(admin, { from: at(4), to: at(2) })).toMatchObject({ to: expect.any(String) });
});

test('shows a project’s administrator only their projects and their own acts', async () => {
  expect(minutesOf(await list(manager))).toEqual([5, 2, 1]);
  expect(minutesOf(await list(manager, { project_id: foreign }))).toEqual([]);
  expect(minutesOf(await list(manager, { project_id: mine }))).toEqual([5, 2]);
});

test('a user who no longer sees a project reads their own acts there without its present name', async () => {
  const user = await makeUser(world.db, { role: 3, projects: [{ id: mine }] });
  const { number, id } = await makeDevice(world.db, { project_id: foreign });
  const act = {
    ...{
      at: new Date(world.clock.now()),
      userId: user.id,
      operator: 'x',
      key: 'device.edit',
      channel: 'web',
    },
    ...{ address: '', requestId: 'x', outcome: 'done' as const, code: 200, parameters: {} },
  };
  await world.db
    .transaction()
    .execute((trx) => appendOperations(trx, [{ ...act, projectId: foreign, deviceId: id }]));
  const found = await list(await world.as(user.id), { project_id: foreign });
  expect(found.list).toMatchObject([{ project_id: foreign, project_name: null, device_number: null }]);
  expect((await list(admin, { project_id: foreign, device_id: id })).list).toMatchObject([
    { project_name: 'Foreign', device_number: number },
  ]);
});

test('exports what the filter shows', async () => {
  const { response } = await manager.call(
    '/operation_log/export',
    { key: 'control' },
    { 'accept-language': 'ru-RU' },
  );
  const [header, ...rows] = (await readXlsx(new Uint8Array(response.rawPayload))).sheets[0]?.rows ?? [];
  expect(header?.slice(1, 4)).toEqual(['Время', 'Оператор', 'Описание']);
  expect(rows.map((row) => [row[2], row[3], row[11]])).toEqual([
    ['timer', 'Дистанционное управление: команда', '{"minute":5}'],
  ]);
});

test('the operation log has words for every act that the server logs by itself, and for every channel', async () => {
  const acts: string[] = [];
  const channels: string[] = [];
  for await (const file of glob('server/**/*.ts')) {
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(file, 'utf8');
    for (const [, key = '', channel] of text.matchAll(/\bkey: '(\w+\.\w+)',\s+channel(?:: '(\w+)')?/g)) {
      acts.push(key);
      if (channel !== undefined) channels.push(channel);
    }
  }
  expect(acts).toEqual(expect.arrayContaining(['database.restored', 'version.update', 'timer.fire']));
  expect(acts.filter((key) => operationText(key, 'en-US') === key)).toEqual([]);
  expect(operationChannels).toEqual(expect.arrayContaining(channels));
});

test('the operation log has words for every act that a call of the contract logs', () => {
  const unnamed = endpoints.flatMap(({ log }) => {
    const [subject, act] = log?.split('.') ?? [];
    return log === undefined || (operationSubjects[subject!] && operationActs[act!]) ? [] : [log];
  });
  expect(unnamed).toEqual([]);
  expect(operationText('of.another.version', 'en-US')).toBe('of.another.version');
});
