import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { createConfigSender } from '#server/control/config-message.ts';
import type { Ask } from '#server/control/request.ts';
import { settingsStore } from '#server/device-settings/settings.store.ts';
import { bindAll } from './all-features.ts';
import { type ControlWorld, createControlWorld } from './control-world.ts';
import { makeDevice, makeProject, makeTag, makeUser } from './factories.ts';
import { createSettingsWorld, type SettingsWorld } from './settings-world.ts';
import { makeSwitch } from './switches.ts';
import { eventually } from './wait.ts';
import { createWorld, type World } from './world.ts';

let settings: SettingsWorld;
let control: ControlWorld;
let all: World;
beforeAll(async () => {
  all = await createWorld(bindAll);
  settings = await createSettingsWorld();
  control = await createControlWorld();
});
afterAll(async () => {
  await all.close();
  await settings.close();
  await control.close();
});

/** Resolves when another transaction waits for a row that this one has locked. */
const isWaitedFor = async ({ db }: Pick<World, 'db'>, trx: Db): Promise<void> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
  await eventually(async () => {
    const waiting = await sql`
      select from pg_stat_activity where ${rows[0]!.pid} = any(pg_blocking_pids(pid))`.execute(db);
    return waiting.rows.length > 0;
  });
};

/** Source: docs/decisions/0033-one-order-of-locks.md */
describe('rows are locked in one order', () => {
  it('no deadlock when remote control is switched while a configuration is composed for the device', async () => {
    const { db, bus, clock } = settings;
    const admin = await settings.as((await makeUser(db, { role: 1 })).id);
    const device = await settings.device((await makeProject(db)).id);
    await device.connect();
    const link = { publishConfig: async () => {} };
    const sender = createConfigSender({ db, bus, clock, link, log: pino({ level: 'silent' }) });
    let switched: ReturnType<typeof admin.call> | undefined;
    const sent = await sender.send(device.id, 'settings', async (trx) => {
      switched = admin.call('/device_do/setDeviceEnableNetCtrl', { device_id: device.id, enabled: false });
      await isWaitedFor(settings, trx);
      await settingsStore(trx).hold([device.id]);
      return null;
    });
    expect(sent).toEqual({ sent: false, reason: 'nothing' });
    expect((await switched!).data).toMatchObject({ enabled: false });
  });

  it('no deadlock when lines are opened while their closes are being decided', async () => {
    const { db, clock } = control;
    const device = await makeSwitch(control, (await makeProject(db)).id, 2);
    const userId = (await makeUser(db, { role: 1 })).id;
    const ask = (lineId: number, verb: 'open' | 'close'): Ask => ({
      deviceId: device.id,
      lineId,
      verb,
      cause: 'api',
      by: {
        userId,
        username: 'anna',
        role: 1,
        permissions: new Set(permissions),
        scope: { all: true },
        address: '',
        identityProved: true,
      },
    });
    const request = (asks: Ask[]) =>
      db
        .transaction()
        .execute((trx) =>
          control.control.requestMany(
            { db: trx, now: clock.now(), emit: () => {}, afterCommit: () => {} },
            asks,
          ),
        );
    await request(device.lines.map(({ id }) => ask(id, 'close')));
    const [first, second] = await db
      .selectFrom('commands')
      .select(['id', 'line_id'])
      .where('device_id', '=', device.id)
      .orderBy('id')
      .execute();
    let opened: ReturnType<typeof request> | undefined;
    await db.transaction().execute(async (trx) => {
      const hold = (id: string) => sql`select from commands where id = ${id} for update nowait`.execute(trx);
      await hold(first!.id);
      opened = request([ask(second!.line_id, 'open'), ask(first!.line_id, 'open')]);
      await isWaitedFor(control, trx);
      await hold(second!.id);
    });
    expect((await opened!).map(({ refusal }) => refusal)).toEqual([null, null]);
  });

  it('no deadlock when a project is deleted while a tag is set on it', async () => {
    const { db } = all;
    const admin = await all.as((await makeUser(db, { role: 1 })).id);
    const project = await makeProject(db);
    const device = await makeDevice(db, { project_id: project.id });
    const owner = await makeUser(db, { role: 1 });
    let deleted: ReturnType<typeof admin.call> | undefined;
    await db.transaction().execute(async (trx) => {
      // The same order as setting a tag: the devices, then the tag, which refers to the project.
      await sql`select from devices where id = ${device.id} for no key update`.execute(trx);
      deleted = admin.call('/Project/delete_project', { project_ids: [project.id], devices: 1 });
      await isWaitedFor(all, trx);
      await sql`select from projects where id = ${project.id} for key share nowait`.execute(trx);
      await makeTag(trx, { project_id: project.id }, { owner: owner.id, at: all.clock.now() });
    });
    expect((await deleted!).data.results).toMatchObject([{ id: project.id, result: 'skipped' }]);
  });

  it('no deadlock when a project is deleted while an account that sees it is changed', async () => {
    const { db } = all;
    const admin = await all.as((await makeUser(db, { role: 1 })).id);
    const project = await makeProject(db);
    const user = await makeUser(db, { role: 3, projects: [project] });
    let deleted: ReturnType<typeof admin.call> | undefined;
    await db.transaction().execute(async (trx) => {
      // As when an account is changed: its projects are deleted and inserted again.
      await trx.deleteFrom('user_projects').where('user_id', '=', user.id).execute();
      deleted = admin.call('/Project/delete_project', { project_ids: [project.id] });
      await isWaitedFor(all, trx);
      await sql`select from projects where id = ${project.id} for key share nowait`.execute(trx);
      await trx.insertInto('user_projects').values({ user_id: user.id, project_id: project.id }).execute();
    });
    expect((await deleted!).data.results).toMatchObject([{ id: project.id, result: 'done' }]);
    const left = await db
      .selectFrom('user_projects')
      .select('user_id')
      .where('project_id', '=', project.id)
      .execute();
    expect(left).toEqual([]);
  });
});
