import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRegions } from '#database/seed/regions.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { learnNames } from './names.ts';
import { createPinyin } from './pinyin.ts';

let world: World;
let admin: Client;
let project: Awaited<ReturnType<typeof makeProject>>;
let device: Awaited<ReturnType<typeof makeDevice>>;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  const { db } = world;
  admin = await world.as((await makeUser(db, { role: 1, username: 'chief' })).id);
  project = await makeProject(db, { name: '深圳湾创新大厦' });
  device = await makeDevice(db, { project_id: project.id, number: 'SW4A0001' });
  await db
    .updateTable('devices')
    .set({
      name: 'Board in the cellar',
      imei: '860123456789012',
      contacts: JSON.stringify([{ name: 'Wang', phone: '13955557777' }]),
    })
    .where('id', '=', device.id)
    .execute();
  await db.updateTable('lines').set({ name: '总进线 100%' }).where('id', '=', device.lines[0]!.id).execute();
  await db.updateTable('regions').set({ shortname: '深圳' }).where('id', '=', 440300).execute();
  await learnNames(db);
});
afterAll(() => world.close());

const find = async (client: Client, text: string) => (await client.call('/search/find', { text })).data;
const devicesFor = async (text: string) =>
  (await find(admin, text)).devices.map(({ number }: { number: string }) => number);

test.each([
  ['the beginning of its number', 'sw4a'],
  ['a part of its number', 'A000'],
  ['a part of its name', 'CELLAR'],
  ['the beginning of its IMEI', '8601 2345'],
  ['a phone of its contacts', '1395555'],
])('a device is found by %s', async (_by, text) => {
  expect(await devicesFor(text)).toEqual(['SW4A0001']);
});

test('a project is found by name, code, contact and pinyin, a line by name', async () => {
  for (const text of ['创新', 'Li We', '1380000', 'shenzhen', 'szw', 'szwcx', project.code])
    expect({ text, found: (await find(admin, text)).projects }).toMatchObject({
      text,
      found: [{ project_id: project.id }],
    });
  expect((await find(admin, '进线 100%')).lines).toMatchObject([{ line_id: device.lines[0]!.id, n: 1 }]);
  expect((await find(admin, 'zjx')).lines).toMatchObject([{ device_number: 'SW4A0001' }]);
});

test('an alarm is found by its work order, and people by the users who manage them', async () => {
  const id = await makeAlarm(world.pool, device, { at: world.clock.now(), code: 101 });
  const { work_order } = await world.db
    .selectFrom('alarms')
    .select('work_order')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect((await find(admin, work_order.toLowerCase())).alarms).toMatchObject([{ id, typeNumber: 101 }]);
  expect((await find(admin, 'chief')).people).toMatchObject([{ username: 'chief' }]);
  const owner = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project.id }] })).id);
  expect((await find(owner, 'chief')).people).toEqual([]);
});

describe('what lies outside the scope', () => {
  test('is not found by anything, nor counted', async () => {
    const part = await makePart(world.db, project.id);
    const stranger = await world.as(
      (await makeUser(world.db, { role: 3, projects: [{ id: (await makeProject(world.db)).id }] })).id,
    );
    const ofPart = await world.as(
      (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
    );
    for (const text of ['sw4a', 'cellar', '860123', '1395555', '创新', 'szw', 'zjx', '总进线'])
      expect({ text, ...(await find(stranger, text)) }).toMatchObject({
        ...{ text, projects: [], devices: [], lines: [], alarms: [], people: [], more: [] },
      });
    expect(await find(ofPart, 'szw')).toMatchObject({ projects: [{ project_id: project.id }], devices: [] });
    expect((await find(ofPart, 'sw4a')).devices).toEqual([]);
  });
});

test('a group with more hits says so', async () => {
  for (let n = 0; n < 4; n++) await makeDevice(world.db, { number: `MORE000${n}` });
  const { data } = await admin.call('/search/find', { text: 'MORE', limit: 3 });
  expect([data.devices.length, data.more]).toEqual([3, ['devices']]);
});

test('a text that is too short is refused in the language of the reader', async () => {
  const answer = await admin.call('/search/find', { text: ' a ' }, { 'accept-language': 'ru' });
  expect([answer.status, answer.data]).toEqual([422, { text: 'Введите не менее 2 символов' }]);
});

test('Chinese names are read by the official pinyin of places, and by first letters beyond them', () => {
  const read = createPinyin(readRegions().map(({ shortname, pinyin }) => ({ name: shortname, pinyin })));
  expect(read('深圳')).toEqual({ pinyin: 'shenzhen', initials: 'sz' });
  expect(read('3号插座 A')).toMatchObject({ initials: '3hcza' });
  expect(read('热水器').initials).toBe('rsq');
  expect(read('消防电梯').initials).toBe('xfdt');
});
