import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installationSettings, settingNames } from '#contract/settings.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { settingsRoutes } from './settings.routes.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => settingsRoutes(serve));
  admin = await world.as((await makeUser(world.db, { role: 1, username: 'chief' })).id);
});
afterAll(() => world.close());

const rowOf = async (name: string) =>
  (await admin.call('/settings/list')).data.list.find((row: { name: string }) => row.name === name);
const set = (name: string, value: unknown) => admin.call('/settings/set', { name, value });

describe('a setting of the installation', () => {
  it('has its default until it is changed, then its value, author, time and history', async () => {
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

  it('is in the operation log with its old and new value', async () => {
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

  it('refuses a setting that does not exist', async () => {
    for (const name of ['vapid.privateKey', 'session.nothing', '__proto__.x'])
      expect((await set(name, true)).status).toBe(422);
  });

  it('does not change other settings of its row, also when two are changed at once', async () => {
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

  it('has a default within its own range', () => {
    for (const group of Object.values(installationSettings))
      for (const definition of Object.values(group))
        if (definition.kind === 'whole') {
          expect(definition.default).toBeGreaterThanOrEqual(definition.min);
          expect(definition.default).toBeLessThanOrEqual(definition.max);
        }
  });
});
