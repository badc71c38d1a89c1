import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alarmName } from '#contract/alarm-names.ts';
import { initialOf, initialsOf } from '#contract/pinyin.ts';
import { regionName } from '#contract/region-names.ts';
import { readRegions } from '#database/seed/regions.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { bindAll } from '#test/all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { learnNames } from './names.ts';
import { createPinyin, initialsMeant, startsOf } from './pinyin.ts';
import { firstCharacters, syllableOf } from './syllables.ts';

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
  for (const text of ['创新', '厦', 'Li We', '1380000', 'shenzhen', 'szw', 'szwcx', 'cx', project.code])
    expect({ text, found: (await find(admin, text)).projects }).toMatchObject({
      text,
      found: [{ project_id: project.id }],
    });
  expect((await find(admin, '进线 100%')).lines).toMatchObject([{ line_id: device.lines[0]!.id, n: 1 }]);
  expect((await find(admin, 'jx')).lines).toMatchObject([{ line_id: device.lines[0]!.id }]);
  expect((await find(admin, '线')).lines).toMatchObject([{ line_id: device.lines[0]!.id }]);
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

test('an alarm type is found by its name, initials or code, with the number of the reader’s unprocessed alarms', async () => {
  await makeAlarm(world.pool, device, { at: world.clock.now(), code: 204 });
  const found = async (text: string, language: string) =>
    (await admin.call('/search/find', { text }, { 'accept-language': language })).data.alarm_types;
  const undervoltage = [{ typeNumber: 204, unprocessed: 1 }];
  for (const [text, language] of [
    [alarmName('en-US', 204).slice(1), 'en-US'],
    [alarmName('ru-RU', 204).toUpperCase(), 'ru-RU'],
    [alarmName('zh-CN', 204), 'zh-CN'],
    ['204', 'en-US'],
  ] as const)
    expect({ text, found: await found(text, language) }).toMatchObject({ text, found: undervoltage });
  expect((await found(initialsOf(alarmName('zh-CN', 204)), 'zh-CN')).length).toBeGreaterThan(0);
});

test('an alarm type counts the alarms that the alarm list shows', async () => {
  const at = world.clock.now();
  const other = await makeDevice(world.db, { project_id: project.id });
  await makeAlarm(world.pool, device, { at, code: 205 });
  const shelved = await makeAlarm(world.pool, other, { at, code: 205 });
  const counts = async () => [
    (await find(admin, '205')).alarm_types[0].unprocessed,
    (await admin.call('/device_warning/WarningList', { typeNumber: 205, status: 'unprocessed' })).data.total,
  ];
  expect(await counts()).toEqual([2, 2]);
  const aside = await admin.call('/device_warning/shelve', {
    ids: [shelved],
    minutes: 60,
    reason: 'contractor on site',
  });
  expect(aside.data.done).toBe(1);
  expect(await counts()).toEqual([1, 1]);
});

test('a place is found in the reader’s language and by pinyin, with its projects', async () => {
  const place = await world.db
    .selectFrom('projects')
    .innerJoin('regions', 'regions.id', 'projects.region_id')
    .select(['regions.id', 'regions.name', 'regions.latin', 'regions.level', 'regions.pinyin'])
    .where('projects.id', '=', project.id)
    .executeTakeFirstOrThrow();
  for (const language of ['zh-CN', 'en-US', 'ru-RU'] as const) {
    const answer = await admin.call(
      '/search/find',
      { text: regionName(place, language) },
      { 'accept-language': language },
    );
    expect(answer.data.regions).toContainEqual({
      region_id: place.id,
      name: expect.stringContaining(regionName(place, language)),
      projects: expect.any(Number),
    });
  }
  expect(
    (await find(admin, place.pinyin)).regions.map((each: { region_id: number }) => each.region_id),
  ).toContain(place.id);
});

test('contact persons are found by name, pinyin and number', async () => {
  await admin.call('/person/add', {
    name: '李明',
    mobile: '13744445555',
    position: '电工',
    project_ids: [project.id],
  });
  await learnNames(world.db);
  for (const text of ['李明', 'lm', '4444'])
    expect({ text, found: (await find(admin, text)).persons }).toMatchObject({
      text,
      found: [{ name: '李明', mobile: '13744445555' }],
    });
});

describe('what lies outside the scope', () => {
  test('what lies outside the scope is neither found nor counted', async () => {
    const part = await makePart(world.db, project.id);
    const stranger = await world.as(
      (await makeUser(world.db, { role: 3, projects: [{ id: (await makeProject(world.db)).id }] })).id,
    );
    const ofPart = await world.as(
      (await makeUser(world.db, { role: 32, projects: [{ id: project.id, parts: [part.id] }] })).id,
    );
    for (const text of [
      'sw4a',
      'cellar',
      '860123',
      '1395555',
      '创新',
      'szw',
      'zjx',
      '总进线',
      '李明',
      '4444',
    ])
      expect({ text, ...(await find(stranger, text)) }).toMatchObject({
        ...{ text, projects: [], devices: [], lines: [], alarms: [], people: [], persons: [], more: [] },
      });
    // Types and places are public; the number of other tenants' alarms and projects is not.
    const away = await makeProject(world.db, { region_id: 310000 });
    const elsewhere = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: away.id }] })).id);
    const ofStranger = await elsewhere.call('/search/find', { text: '204' });
    expect(ofStranger.data.alarm_types).toEqual([{ typeNumber: 204, unprocessed: 0 }]);
    const own = await world.db
      .selectFrom('projects')
      .innerJoin('regions', 'regions.id', 'projects.region_id')
      .select(['regions.id', 'regions.pinyin'])
      .where('projects.id', '=', project.id)
      .executeTakeFirstOrThrow();
    expect((await find(elsewhere, own.pinyin)).regions).toEqual([]);
    expect((await find(elsewhere, 'shanghai')).regions[0]).toMatchObject({ projects: 1 });
    expect(await find(ofPart, 'szw')).toMatchObject({ projects: [{ project_id: project.id }], devices: [] });
    expect((await find(ofPart, 'sw4a')).devices).toEqual([]);
  });
});

test('a group with more hits shows that', async () => {
  for (let n = 0; n < 4; n++) await makeDevice(world.db, { number: `MORE000${n}` });
  const { data } = await admin.call('/search/find', { text: 'MORE', limit: 3 });
  expect([data.devices.length, data.more]).toEqual([3, ['devices']]);
});

test('a text that is too short is refused in the language of the reader', async () => {
  const answer = await admin.call('/search/find', { text: ' a ' }, { 'accept-language': 'ru' });
  expect([answer.status, answer.data]).toEqual([
    422,
    { text: 'Введите не менее 2 символов или один иероглиф' },
  ]);
});

test('Chinese place names are found by their official pinyin, other names by first letters', () => {
  const read = createPinyin(readRegions().map(({ shortname, pinyin }) => ({ name: shortname, pinyin })));
  const [inFull, inLetters] = (['pinyin', 'initials'] as const).map(
    (how) => (name: string) => read(name).map((part) => part[how]),
  );
  expect(inFull!('深圳')).toEqual(['shen', 'zhen']);
  expect(inLetters!('深圳')).toEqual(['s', 'z']);
  expect(inLetters!('3号插座 A')).toEqual(['3', 'h', 'c', 'z', 'a']);
  expect(inLetters!('热水器')).toEqual(['r', 's', 'q']);
  expect(inLetters!('消防电梯 EL12')).toEqual(['x', 'f', 'd', 't', 'el12']);
  expect(startsOf(read('深圳 A2'))).toBe(' shenzhena2 zhena2 a2 sza2 za2');
});

test('a search text may mix syllables and first letters in any way', async () => {
  const found = async (text: string) => (await find(admin, text)).projects.length;
  for (const text of [
    'szwancx',
    'wancx',
    'wcxin',
    'shenzw',
    'szhenw',
    'chuangxds',
    'cxdash',
    'zhewachxi',
    'SZ W CX',
  ])
    expect({ text, found: await found(text) }).toEqual({ text, found: 1 });
  for (const text of ['wanxc', 'ancx', 'wancxx', 'szcx'])
    expect({ text, found: await found(text) }).toEqual({ text, found: 0 });
  const place = await admin.call('/search/find', { text: 'shenz' });
  expect(place.data.regions.length).toBeGreaterThan(0);
});
test('every character has a pinyin, which agrees with the official one of place names', () => {
  const collator = new Intl.Collator('zh-u-co-pinyin');
  expect([...firstCharacters].sort(collator.compare)).toEqual(firstCharacters);
  const known = readRegions().map(({ shortname, pinyin }) => ({ name: shortname, pinyin }));
  const official = createPinyin(known);
  const chars = [...new Set(known.flatMap(({ name }) => [...name]))];
  const other = chars.filter((char) => official(char)[0]?.pinyin !== syllableOf(char));
  // Characters whose pronunciation in place names differs: 厦, 蔚, 圩 …
  expect(other.length / chars.length).toBeLessThan(0.04);
  const everyHan = Array.from({ length: 0x9fa5 - 0x4e00 }, (_, index) =>
    String.fromCodePoint(0x4e00 + index),
  );
  expect(everyHan.filter((char) => initialOf(char) !== syllableOf(char)[0])).toEqual([]);
  expect(createPinyin([])('体育馆空调箱').map(({ pinyin }) => pinyin)).toEqual(
    'ti yu guan kong diao xiang'.split(' '),
  );
});
test('initials of the fewest syllables come first, and their number is limited', () => {
  expect(initialsMeant('wancx').slice(0, 1)).toEqual(['wcx']);
  expect(initialsMeant('zhjx')).toEqual(['zjx', 'zhjx']);
  expect(initialsMeant('xianganguanglian'.repeat(2)).length).toBeLessThanOrEqual(16);
});
test('pinyin is found from the beginning of any syllable, never from within one, and by an index', async () => {
  const found = async (text: string) => (await find(admin, text)).projects.length;
  for (const text of ['zhenw', 'zhen', 'zw', 'wcxds'])
    expect({ text, found: await found(text) }).toEqual({ text, found: 1 });
  for (const text of ['henzhen', 'wd'])
    expect({ text, found: await found(text) }).toEqual({ text, found: 0 });
  const client = await world.pool.connect();
  try {
    await client.query('begin; set local enable_seqscan = off');
    for (const condition of ["starts like '% zw%'", "pieces @> '{楼}'"]) {
      const { rows } = await client.query(`explain select name from search_names where ${condition}`);
      expect(rows.map((row) => row['QUERY PLAN']).join(' ')).toMatch(/Bitmap Index Scan on search_names_/);
    }
    await client.query('rollback');
  } finally {
    client.release();
  }
});
