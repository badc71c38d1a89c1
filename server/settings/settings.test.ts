import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installationSettings, settingNames } from '#contract/settings.ts';
import { readConfig } from '#server/core/config.ts';
import { contentPolicyOf } from '#server/core/content-policy.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { mapForConsole, presentMap, settingsFixedBy } from '#server/core/map.ts';
import { makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { settingsRoutes } from './settings.routes.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => settingsRoutes(serve, new Map()));
  admin = await world.as((await makeUser(world.db, { role: 1, username: 'chief' })).id);
});
afterAll(() => world.close());

const rowOf = async (name: string) =>
  (await admin.call('/settings/list')).data.list.find((row: { name: string }) => row.name === name);
const set = (name: string, value: unknown) => admin.call('/settings/set', { name, value });

describe('a setting of the installation', () => {
  it('a setting of the installation has its default until it is changed, then its value, author, time and history', async () => {
    expect((await admin.call('/settings/list')).data.list).toHaveLength(settingNames.length);
    expect(await rowOf('control.evidenceS')).toMatchObject({
      ...{ value: 15, default: 15, min: 5, max: 120, unit: 's', changed_at: null, changed_by: null },
    });
    expect((await set('control.evidenceS', 25)).data).toMatchObject({ value: 25, changed_by: 'chief' });
    expect(await readSettings(world.db, 'control')).toEqual({
      ...{ switchExpiryS: 30, otherExpiryS: 600, evidenceS: 25, inspectAfter: 'grave' },
    });
    expect((await set('control.evidenceS', null)).data).toMatchObject({ value: 15 });
    const { data } = await admin.call('/settings/history', { name: 'control.evidenceS' });
    expect(data.list.map(({ before, after }: { before: number; after: number }) => [before, after])).toEqual([
      [25, 15],
      [15, 25],
    ]);
  });

  it('a setting of the installation is in the operation log with its old and new value', async () => {
    await set('session.singleSession', true);
    const row = await world.db
      .selectFrom('operation_log')
      .select(['key', 'operator', 'parameters'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      key: 'settings.set',
      operator: 'chief',
      parameters: { name: 'session.singleSession', before: false, after: true },
    });
  });

  it.each([
    ['control.evidenceS', 4, '请输入 5 到 120 之间的整数'],
    ['control.evidenceS', 121, '请输入 5 到 120 之间的整数'],
    ['control.evidenceS', 7.5, '请输入 5 到 120 之间的整数'],
    ['control.evidenceS', '20', '请输入 5 到 120 之间的整数'],
    ['session.passwordPolicy', 'none', '该设置不接受此值'],
    ['session.blockZoom', 1, '该设置不接受此值'],
  ])('%s refuses %j at its field and keeps its value', async (name, value, message) => {
    const before = await rowOf(name);
    const answer = await set(name, value);
    expect([answer.status, answer.data]).toEqual([422, { value: message }]);
    expect(await rowOf(name)).toEqual(before);
  });

  const address = 'https://tiles.example.org/{z}/{x}/{y}.png';
  it.each([
    'http://tiles.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/{z}/{x}.png',
    "https://tiles.example.org;script-src'unsafe-inline'/{z}/{x}/{y}.png",
    'https://tiles.example.org,evil.example/{z}/{x}/{y}.png',
    'https://user:secret@tiles.example.org/{z}/{x}/{y}.png',
    'https://{x}.example.org/{z}/{x}/{y}.png',
    'https://*.example.org/{z}/{x}/{y}.png',
    'https://tiles.example.org/{z}/{x}/{y}.png two',
    'javascript:alert(1)//{z}{x}{y}',
    `${address}?${'a'.repeat(500)}`,
  ])('refuses %s as address of street tiles, in three languages', async (value) => {
    for (const [language, words] of [
      ['zh-CN', '请输入不超过 500 个字符的 https 地址'],
      ['en-US', 'Enter an https address such as https://tiles.example.org/{z}/{x}/{y}.png'],
      ['ru-RU', 'Введите адрес https не длиннее 500 символов'],
    ] as const) {
      const answer = await admin.call(
        '/settings/set',
        { name: 'map.tileUrl', value },
        { cookie: `language=${language}` },
      );
      expect([answer.status, answer.data.value]).toEqual([422, expect.stringContaining(words)]);
    }
    expect(await rowOf('map.tileUrl')).toMatchObject({ value: '', changed_at: null });
  });

  it('shows street tiles and allows their host as long as their address is set', async () => {
    const mapNow = () => presentMap(world.db, readConfig({}).map);
    const hosts = async () => /img-src (.*?);/.exec(contentPolicyOf(await mapNow())('n'))?.[1];
    const own = await hosts();
    for (const [name, value] of [
      ['map.tileUrl', ` ${address}?key=k `],
      ['map.tileCrs', 'gcj02'],
      ['map.tileAttribution', 'Tiles of nobody'],
    ] as const)
      expect((await set(name, value)).data).toMatchObject({ value: value.trim(), changed_by: 'chief' });
    expect(mapForConsole(await mapNow())).toEqual({
      map_tiles: { address: `${address}?key=k`, crs: 'gcj02', attribution: 'Tiles of nobody' },
    });
    expect(await hosts()).toBe(`${own} https://tiles.example.org`);
    await set('map.tileUrl', null);
    expect(mapForConsole(await mapNow())).toEqual({});
    expect(await hosts()).toBe(own);
  });

  it('refuses a setting that does not exist', async () => {
    for (const name of ['vapid.privateKey', 'session.nothing', '__proto__.x'])
      expect((await set(name, true)).status).toBe(422);
  });

  it('a setting of the installation does not change other settings of its row, also when two are changed at once', async () => {
    await Promise.all([
      set('retention.readingsDays', 120),
      set('retention.deliveriesDays', 500),
      set('retention.messagesDays', 60),
    ]);
    expect(await readSettings(world.db, 'retention')).toEqual({
      ...{ readingsDays: 120, deliveriesDays: 500, messagesDays: 60 },
    });
  });

  it('an invalid type in the table means the default', async () => {
    await world.db
      .updateTable('settings')
      .set({ value: JSON.stringify({ readingsDays: 'for ever', deliveriesDays: 1 }) })
      .where('key', '=', 'retention')
      .execute();
    expect(await readSettings(world.db, 'retention')).toEqual({
      ...{ readingsDays: 90, deliveriesDays: 400, messagesDays: 90 },
    });
  });

  it('a setting of the installation has the value of the server’s variable where there is one, and cannot be changed then', async () => {
    const { map } = readConfig({ MAP_TILE_URL: address, MAP_TILE_CRS: 'gcj02' });
    const other = await createWorld((serve) => settingsRoutes(serve, settingsFixedBy(map)));
    const chief = await other.as((await makeUser(other.db, { role: 1 })).id);
    const rows = (await chief.call('/settings/list')).data.list;
    for (const [name, value] of [
      ['map.tileUrl', address],
      ['map.tileCrs', 'gcj02'],
    ]) {
      expect(rows.find((row: { name: string }) => row.name === name)).toMatchObject({ value });
      const answer = await chief.call('/settings/set', { name, value: null });
      expect([answer.status, answer.msg]).toEqual([409, expect.stringContaining('MAP_TILE_')]);
    }
    expect((await presentMap(other.db, map)).tileUrl).toBe(address);
    await other.close();
  });

  it('a setting of the installation has a default within its own range', () => {
    for (const group of Object.values(installationSettings))
      for (const definition of Object.values(group))
        if (definition.kind === 'whole') {
          expect(definition.default).toBeGreaterThanOrEqual(definition.min);
          expect(definition.default).toBeLessThanOrEqual(definition.max);
        }
  });
});
