import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, makeTag, makeUser } from '#test/factories.ts';
import { createSettingsWorld, type SettableDevice, type SettingsWorld } from '#test/settings-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';

let world: SettingsWorld;
let admin: Client;
let project: number;
beforeAll(async () => {
  world = await createSettingsWorld();
  project = (await makeProject(world.db)).id;
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const connected = async (type: 3 | 4 | 7 = 3): Promise<SettableDevice> => {
  const device = await world.device(project, type, type === 3 ? 2 : 1);
  await device.connect();
  await reported(device);
  return device;
};
const select = async (device: SettableDevice) =>
  (await admin.call('/device/selectSetting', { device_id: device.id })).data;
const reported = (device: SettableDevice) =>
  eventually(async () => (await select(device)).reported_revision !== null);
const rowOf = async (device: SettableDevice, key: string, n = 1) => {
  const shown = await select(device);
  const rows = n === 0 ? shown.device : shown.lines.find((line: { n: number }) => line.n === n).settings;
  return rows.find((row: { key: string }) => row.key === key);
};
const settingBecomes = async (device: SettableDevice, key: string, state: string, n = 1) => {
  await becomes(async () => (await rowOf(device, key, n)).state, state);
  return rowOf(device, key, n);
};
const set = (
  device: SettableDevice,
  settings: object[],
  more: object = {},
  headers?: Record<string, string>,
) => admin.call('/device/device_set', { device_id: device.id, settings, ...more }, headers);

/** The device moves to another project, where the administrator has the same rights. */
const moves = async (device: SettableDevice) => {
  const { id } = await makeProject(world.db);
  await admin.call('/Project/bind_device', { project_id: id, device_ids: [device.id] });
};
const becomesReported = (device: SettableDevice, key: string, value: unknown) =>
  becomes(async () => (await rowOf(device, key)).reported, value);

describe('parameters', () => {
  it('parameters reach the device and count as applied only when the device reports them', async () => {
    const device = await connected();
    device.deaf = true;
    const answer = await set(device, [{ key: 'il_w', n: 1, value: 20 }]);
    expect(answer).toMatchObject({ code: 200, msg: '已提交，正在生效' });
    expect(answer.data.staged.settings).toEqual([
      { kind: 'parameter', n: 1, key: 'il_w', value: 20, state: 'pending' },
    ]);
    await eventually(async () => device.received.length === 1);
    expect(await rowOf(device, 'il_w')).toMatchObject({ state: 'pending', desired: 20, reported: 15 });
    device.deaf = false;
    device.simulated.receive('cfg/set', JSON.stringify(device.received[0]));
    expect(await settingBecomes(device, 'il_w', 'applied')).toMatchObject({
      desired: 20,
      reported: 20,
      drift: false,
    });
    const line = await world.db
      .selectFrom('lines')
      .select('thresholds')
      .where('id', '=', device.lines[0]!.id)
      .executeTakeFirstOrThrow();
    expect(line.thresholds).toMatchObject({ il_w: 20, il_a: 30, un: 220 });
  });

  it('parameters that are impossible are shown as the device reports them, and no reading is judged by them', async () => {
    const device = await connected();
    const [line] = device.simulated.core.lines;
    await becomesReported(device, 'il_a', 30);
    Object.assign(line!.parameters, { il_w: -5, il_a: 1e9, ov_a: 260, op_w: 0 });
    device.simulated.core.parameters['un'] = 1;
    device.simulated.receive('cfg/set', '{"v":1,"id":"now","exp":0}');
    await becomesReported(device, 'il_a', 1e9);
    const limits = await eventually(async () => {
      const row = await world.db
        .selectFrom('lines')
        .select('thresholds')
        .where('id', '=', device.lines[0]!.id)
        .executeTakeFirstOrThrow();
      return row.thresholds['ov_a'] === 260 && row.thresholds;
    });
    expect(limits).toMatchObject({ il_w: 15, il_a: 30, ov_a: 260, op_w: 0, un: 220 });
  });

  it('parameters wait while the device is away and are applied when it comes back', async () => {
    const device = await connected();
    await device.disconnect();
    await set(device, [
      { key: 'tele_s', value: 120 },
      { key: 'tm_a', n: 2, value: 85 },
    ]);
    expect(
      await eventually(async () => {
        const row = await rowOf(device, 'tele_s', 0);
        return row.reason === 'offline' && row;
      }),
    ).toMatchObject({ state: 'pending' });
    expect((await select(device)).waits).toBe('offline');
    expect(device.received).toEqual([]);
    await device.connect();
    await settingBecomes(device, 'tele_s', 'applied', 0);
    await settingBecomes(device, 'tm_a', 'applied', 2);
    expect(device.received).toHaveLength(1);
    expect(device.received[0]).toMatchObject({ p: { dev: { tele_s: 120 }, 2: { tm_a: 85 } } });
  });

  it('parameters are withdrawn when their author lost the permission while the device was away', async () => {
    const device = await connected();
    const author = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
    const client = await world.as(author.id);
    await device.disconnect();
    const wish = { device_id: device.id, settings: [{ key: 'tl_a', n: 1, value: 85 }] };
    expect(await client.call('/device/device_set', wish)).toMatchObject({ status: 200 });
    await set(device, [{ key: 'tele_s', value: 120 }]);
    await becomes(async () => (await rowOf(device, 'tl_a')).reason, 'offline');
    await world.db.deleteFrom('user_projects').where('user_id', '=', author.id).execute();
    await device.connect();
    expect(await settingBecomes(device, 'tl_a', 'rejected')).toMatchObject({ desired: 85, reason: 'denied' });
    await settingBecomes(device, 'tele_s', 'applied', 0);
    expect(device.received).toHaveLength(1);
    expect(device.received[0]).toMatchObject({ p: { dev: { tele_s: 120 } } });
    expect(device.received[0]).not.toHaveProperty('p.1');
    const shownStates = ['zh-CN', 'en-US', 'ru-RU'].map(async (language) => {
      const headers = { 'accept-language': language };
      const { data } = await admin.call('/device/selectSetting', { device_id: device.id }, headers);
      return data.lines[0].settings.find((row: { key: string }) => row.key === 'tl_a').message;
    });
    expect(await Promise.all(shownStates)).toEqual([
      '设置者已无权设置该设备，已撤回，未发送',
      'Withdrawn: the user who requested it may no longer configure this device',
      'Отозвано, не отправлено: у автора больше нет права настраивать устройство',
    ]);
  });

  it('parameters that weaken a protection stay behind when their device moves, and stricter ones follow it', async () => {
    const device = await connected();
    await device.disconnect();
    await set(device, [
      { key: 'ov_trip', n: 1, value: 280 },
      { key: 'tele_s', value: 30 },
    ]);
    await becomes(async () => (await rowOf(device, 'ov_trip')).reason, 'offline');
    await moves(device);
    await set(device, [{ key: 'ov_trip', n: 2, value: 280 }]);
    await device.connect();
    expect(await settingBecomes(device, 'ov_trip', 'rejected')).toMatchObject({
      ...{ desired: 280, reported: 275, reason: 'moved' },
      message: '此操作提出后设备已移至其他项目：未执行',
    });
    await settingBecomes(device, 'tele_s', 'applied', 0);
    await settingBecomes(device, 'ov_trip', 'applied', 2);
    expect(device.received).toHaveLength(1);
    expect(device.received[0]).not.toHaveProperty('p.1');
    await set(device, [{ key: 'ov_trip', n: 1, value: 280 }]);
    await settingBecomes(device, 'ov_trip', 'applied');
  });

  it('parameters that weaken a protection go to no project but the one in which they were asked for', async () => {
    const device = await connected();
    await device.disconnect();
    await set(device, [{ key: 'ov_trip', n: 1, value: 280 }]);
    await admin.call('/Device/remove_device', { device_ids: [device.id] });
    await set(device, [{ key: 'ov_trip', n: 2, value: 280 }]);
    await admin.call('/Project/bind_device', { project_id: project, device_ids: [device.id] });
    await device.connect();
    await settingBecomes(device, 'ov_trip', 'applied');
    expect(await settingBecomes(device, 'ov_trip', 'rejected', 2)).toMatchObject({ reason: 'moved' });
  });

  it('parameters that weaken a protection are not handed over after their device moved in the last moment', async () => {
    const device = await connected();
    const author = await world.as((await makeUser(world.db, { role: 1 })).id);
    await device.disconnect();
    const wish = { device_id: device.id, settings: [{ key: 'ov_trip', n: 1, value: 280 }] };
    expect(await author.call('/device/device_set', wish)).toMatchObject({ status: 200 });
    await becomes(async () => (await rowOf(device, 'ov_trip')).reason, 'offline');
    // The hand-over locks the author's account: it waits here.
    const gate = await world.pool.connect();
    await gate.query('begin');
    await gate.query('select from users where id = $1 for update', [author.userId]);
    await device.connect();
    const claimed = () =>
      world.db
        .selectFrom('config_messages')
        .select('id')
        .where('device_id', '=', device.id)
        .where('state', '=', 'sent')
        .executeTakeFirst();
    await eventually(claimed);
    await moves(device);
    await gate.query('commit');
    gate.release();
    await eventually(async () => {
      world.clock.advance(1000);
      const { state, reason } = await rowOf(device, 'ov_trip');
      return state === 'rejected' && reason === 'moved';
    });
    expect(device.received).toEqual([]);
  });

  it('parameters that may close a line are withdrawn when their author may no longer switch lines', async () => {
    const device = await connected();
    const author = await makeUser(world.db, { role: 71, letters: 'BC', projects: [{ id: project }] });
    const client = await world.as(author.id);
    await device.disconnect();
    const wish = { device_id: device.id, settings: [{ key: 'ar_n', value: 5 }] };
    expect(await client.call('/device/device_set', wish)).toMatchObject({ status: 200 });
    await becomes(async () => (await rowOf(device, 'ar_n', 0)).reason, 'offline');
    await world.db.updateTable('roles').set({ letters: 'C' }).where('code', '=', 71).execute();
    await device.connect();
    expect(await settingBecomes(device, 'ar_n', 'rejected', 0)).toMatchObject({ reason: 'denied' });
    expect(device.received).toEqual([]);
  });

  it('parameters are in conflict when the device was changed meanwhile, and nothing is overwritten', async () => {
    const device = await connected();
    await device.disconnect();
    await set(device, [{ key: 'oc_t', n: 1, value: 30 }]);
    await becomes(async () => (await rowOf(device, 'oc_t')).reason, 'offline');
    device.simulated.core.lines[0]!.parameters['oc_t'] = 45;
    device.simulated.core.rev += 1;
    await device.connect();
    expect(await settingBecomes(device, 'oc_t', 'conflict')).toMatchObject({ desired: 30, reported: 45 });
    expect(device.received).toEqual([]);
    await set(device, [{ key: 'oc_t', n: 1, value: 30 }]);
    expect(await settingBecomes(device, 'oc_t', 'applied')).toMatchObject({ reported: 30 });
  });

  it('parameters that were changed at the device afterwards are shown as drift and raise the revision', async () => {
    const device = await connected();
    await set(device, [{ key: 'tl_a', n: 1, value: 75 }]);
    await settingBecomes(device, 'tl_a', 'applied');
    const { revision } = await select(device);
    await device.disconnect();
    device.simulated.core.lines[0]!.parameters['tl_a'] = 90;
    device.simulated.core.rev += 1;
    await device.connect();
    const row = await eventually(async () => {
      const now = await rowOf(device, 'tl_a');
      return now.drift && now;
    });
    expect(row).toMatchObject({ state: 'applied', desired: 75, reported: 90 });
    const refused = await set(device, [{ key: 'tl_w', n: 1, value: 65 }], { revision });
    expect(refused).toMatchObject({
      status: 409,
      data: {
        changed: [{ kind: 'parameter', place: 1, key: 'tl_a', before: 75, after: 90, operator: null }],
      },
    });
  });

  it('parameters are shown to the second of two editors with the first one’s changes', async () => {
    const device = await connected();
    const { revision } = await select(device);
    expect(await set(device, [{ key: 'dT', n: 1, value: 6 }], { revision })).toMatchObject({ status: 200 });
    expect(await set(device, [{ key: 'dT', n: 1, value: 7 }], { revision })).toMatchObject({
      status: 409,
      data: { revision: revision + 1, changed: [{ key: 'dT', before: 5, after: 6 }] },
    });
  });

  it('parameters that are invalid are marked at their fields in three languages', async () => {
    const device = await connected();
    const wrong = [
      { key: 'il_w', n: 1, value: 5 },
      { key: 'il_a', n: 9, value: 30 },
      { key: 'thdu', n: 1, value: 5 },
      { key: 'nonsense', value: 1 },
      { key: 'oc_curve', n: 1, value: 'x' },
      { key: 'ov_t', n: 1, value: 0.15 },
      { key: 'tl_w', n: 1, value: 100 },
    ];
    const english = await set(device, wrong, {}, { 'accept-language': 'en' });
    expect(english.status).toBe(422);
    expect(english.data).toEqual({
      'settings.0.value': 'The value is out of its range',
      'settings.1.value': 'Choose a line',
      'settings.2.value': 'Devices of this type do not have this parameter',
      'settings.3.value': 'There is no such parameter',
      'settings.4.value': 'Choose one of the given values',
      'settings.5.value': 'The value does not match the step of this parameter',
      'settings.6.value': 'Early-warning and alarm limits are in the wrong order',
    });
    const russian = await set(device, wrong, {}, { 'accept-language': 'ru' });
    expect(russian.data['settings.0.value']).toBe('Значение вне допустимого диапазона');
    expect((await set(device, wrong)).data['settings.0.value']).toBe('数值超出允许范围');
  });

  it('parameters are sent again when an answer is lost, and the device’s report then settles them', async () => {
    const device = await connected();
    device.deaf = true;
    await set(device, [{ key: 'tc_a', n: 1, value: 70 }]);
    await eventually(async () => device.received.length === 1);
    device.deaf = false;
    await eventually(async () => {
      world.clock.advance(5_000);
      return (await rowOf(device, 'tc_a')).state === 'applied';
    });
    expect(device.received[1]!.id).not.toBe(device.received[0]!.id);
  });
});

describe('the guard', () => {
  it('sends a value that the device has just reported as changed, although the report is not processed yet', async () => {
    const device = await connected();
    // The device applied auto-reclose; its report is stored, and no event has announced it.
    device.simulated.core.enables['auto_reclose'] = true;
    device.simulated.core.rev++;
    await world.db
      .updateTable('device_reported')
      .set({
        payload: sql`jsonb_set(jsonb_set(payload, '{en,auto_reclose}', 'true'), '{rev}',
          to_jsonb((payload ->> 'rev')::int + 1))`,
        received_at: new Date(world.clock.now() + 1),
      })
      .where('device_id', '=', device.id)
      .where('kind', '=', 'cfg')
      .execute();
    const enables = { auto_reclose: false };
    await admin.call('/device_do/device_use', { device_id: device.id, enables });
    await eventually(async () => device.simulated.core.enables['auto_reclose'] === false);
  });

  it('sends stricter values while remote control is disabled, and weaker ones after it is enabled', async () => {
    const device = await connected();
    const disabled = await admin.call('/device_do/setDeviceEnableNetCtrl', {
      device_id: device.id,
      enabled: false,
    });
    expect(disabled.data.enabled).toBe(false);
    await eventually(async () => device.simulated.core.enables['net_ctrl'] === false);
    await set(device, [{ key: 'tc_w', n: 1, value: 50 }]);
    await settingBecomes(device, 'tc_w', 'applied');
    await set(device, [{ key: 'tc_w', n: 1, value: 60 }]);
    await becomes(async () => (await rowOf(device, 'tc_w')).reason, 'net_ctrl_off');
    expect(device.received).toHaveLength(2);
    await admin.call('/device_do/setDeviceEnableNetCtrl', { device_id: device.id, enabled: true });
    await settingBecomes(device, 'tc_w', 'applied');
    expect(device.received.slice(2).map(({ p, en }) => ({ p, en }))).toEqual([
      { p: undefined, en: { net_ctrl: true } },
      { p: { 1: { tc_w: 60 } }, en: undefined },
    ]);
  });

  describe('keeps remote control disabled', () => {
    const netControl = (device: SettableDevice, by = admin, enabled?: boolean) =>
      by.call('/device_do/setDeviceEnableNetCtrl', {
        device_id: device.id,
        ...(enabled === undefined ? {} : { enabled }),
      });
    const isEnabled = async (device: SettableDevice) => (await netControl(device)).data.enabled as boolean;
    const reportedTo = (device: SettableDevice, revision: number) =>
      becomes(async () => (await select(device)).reported_revision, revision);

    it('keeps remote control disabled for a user who may control devices but not configure them', async () => {
      const device = await connected();
      const by = await world.as(
        (await makeUser(world.db, { role: 72, letters: 'B', projects: [{ id: project }] })).id,
      );
      expect((await netControl(device, by, false)).data.enabled).toBe(false);
      await eventually(async () => device.simulated.core.enables['net_ctrl'] === false);
      expect(await isEnabled(device)).toBe(false);
    });

    it('keeps remote control disabled when its user lost the right before the device heard of it', async () => {
      const device = await connected();
      const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
      await device.disconnect();
      await netControl(device, await world.as(user.id), false);
      await world.db.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();
      await device.connect();
      await eventually(async () => {
        const { data } = await netControl(device);
        return data.state === 'rejected';
      });
      device.simulated.core.rev += 1;
      await device.disconnect();
      await device.connect();
      await reportedTo(device, device.simulated.core.rev);
      expect(await isEnabled(device)).toBe(false);
    });

    it('keeps remote control disabled when the device first reports afterwards that it is enabled', async () => {
      const device = await world.device(project, 3, 1);
      await netControl(device, admin, false);
      for (const _connection of [1, 2]) {
        await device.connect();
        await reportedTo(device, device.simulated.core.rev);
        expect(await isEnabled(device)).toBe(false);
        device.simulated.core.rev += 1;
        await device.disconnect();
      }
    });

    it('keeps remote control disabled until it is enabled at the device, which has confirmed it', async () => {
      const device = await connected();
      await netControl(device, admin, false);
      await becomes(async () => (await netControl(device)).data.state, 'applied');
      for (const _connection of [1, 2]) {
        await device.disconnect();
        device.simulated.core.enables['net_ctrl'] = true;
        device.simulated.core.rev += 1;
        await device.connect();
        await reportedTo(device, device.simulated.core.rev);
        expect(await isEnabled(device)).toBe(true);
      }
    });
  });

  const waitsFor = (device: SettableDevice, reason: string) =>
    eventually(async () => {
      const row = await rowOf(device, 'tc_w');
      return row.reason === reason && row;
    });

  it('holds back values for a device without a project, and sends them at once when it is bound', async () => {
    const device = await connected();
    await admin.call('/Device/remove_device', { device_ids: [device.id] });
    await set(device, [{ key: 'tc_w', n: 1, value: 51 }]);
    const row = await waitsFor(device, 'unbound');
    expect(row).toMatchObject({ state: 'pending', message: '设备未绑定项目，无法操作' });
    expect((await select(device)).waits).toBe('unbound');
    expect(device.received).toEqual([]);
    await admin.call('/Project/bind_device', { project_id: project, device_ids: [device.id] });
    expect(await settingBecomes(device, 'tc_w', 'applied')).toMatchObject({ reported: 51, reason: null });
    expect(device.received).toHaveLength(1);
  });

  it('holds back values during a firmware update, and sends them at once afterwards', async () => {
    const device = await connected();
    const now = new Date(world.clock.now());
    const command = await world.db
      .insertInto('commands')
      .values({
        id: crypto.randomUUID(),
        device_id: device.id,
        line_id: device.lines[0]!.id,
        number: 1,
        verb: 'ota',
        parameters: '{}',
        state: 'acknowledged',
        reason: null,
        cause: 'button',
        batch_id: null,
        user_id: admin.userId,
        operator: 'admin',
        address: '',
        created_at: now,
        expires_at: now,
        deadline_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await set(device, [{ key: 'tc_w', n: 1, value: 52 }]);
    expect(await waitsFor(device, 'ota')).toMatchObject({ message: '设备正在升级固件' });
    expect(device.received).toEqual([]);
    await world.db.updateTable('commands').set({ state: 'verified' }).where('id', '=', command.id).execute();
    world.bus.emit('command.changed', {
      commandId: command.id,
      deviceId: device.id,
      lineId: device.lines[0]!.id,
      state: 'verified',
      verb: 'ota',
      batchId: null,
    });
    expect(await settingBecomes(device, 'tc_w', 'applied')).toMatchObject({ reported: 52 });
    expect(device.received).toHaveLength(1);
  });

  it('sends one configuration at a time, and the next when the first is over', async () => {
    const device = await connected();
    const now = world.clock.now();
    const other = crypto.randomUUID();
    await world.db
      .insertInto('config_messages')
      .values({
        id: other,
        device_id: device.id,
        purpose: 'timers',
        base: 1,
        content: '{}',
        state: 'sent',
        reason: null,
        sent_at: new Date(now),
        expires_at: new Date(now + 60_000),
        ended_at: null,
      })
      .execute();
    await set(device, [{ key: 'tc_w', n: 1, value: 53 }]);
    expect(await waitsFor(device, 'busy')).toMatchObject({
      state: 'pending',
      message: '另一项配置正在下发到该设备',
    });
    expect((await select(device)).waits).toBeNull();
    world.clock.advance(5_000);
    await waitsFor(device, 'busy');
    expect(device.received).toEqual([]);
    await world.db.updateTable('config_messages').set({ state: 'applied' }).where('id', '=', other).execute();
    expect(
      await eventually(async () => {
        world.clock.advance(2_000);
        const row = await rowOf(device, 'tc_w');
        return row.state === 'applied' && row;
      }),
    ).toMatchObject({ reported: 53 });
  });

  it('the next configuration is sent when an unanswered one has timed out', async () => {
    const device = await connected();
    device.deaf = true;
    await set(device, [{ key: 'tc_w', n: 1, value: 54 }]);
    await eventually(async () => device.received.length === 1);
    await set(device, [{ key: 'tc_a', n: 1, value: 70 }]);
    await waitsFor(device, 'busy');
    device.deaf = false;
    await eventually(async () => {
      world.clock.advance(5_000);
      return (await rowOf(device, 'tc_a')).state === 'applied';
    });
    await settingBecomes(device, 'tc_w', 'applied');
    expect(device.received[1]).toMatchObject({ p: { 1: { tc_w: 54, tc_a: 70 } } });
  });

  it('asks for the password before a line may close by itself, and refuses under a lock-out tag', async () => {
    const device = await connected();
    const enable = (more: object = {}) =>
      admin.call('/device_do/device_use', { device_id: device.id, enables: { auto_reclose: true }, ...more });
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(world.clock.now() - 16 * 60_000) })
      .where('user_id', '=', admin.userId)
      .execute();
    expect(await enable()).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
    expect(await enable({ password: 'wrong123' })).toMatchObject({ status: 422 });
    const tag = await makeTag(
      world.db,
      { line_id: device.lines[1]!.id },
      { owner: admin.userId, at: world.clock.now() },
    );
    expect(await enable({ password: testPassword })).toMatchObject({
      status: 409,
      data: { reason: 'tagged' },
    });
    await world.db
      .updateTable('lockout_tags')
      .set({ removed_at: new Date() })
      .where('id', '=', tag.id)
      .execute();
    expect(await enable({ password: testPassword })).toMatchObject({ status: 200 });
    await eventually(async () => device.simulated.core.enables['auto_reclose'] === true);
    const log = await world.db.selectFrom('operation_log').select('parameters').execute();
    expect(JSON.stringify(log)).not.toContain(testPassword);
    expect(
      await admin.call('/device_do/device_use', { device_id: device.id, enables: { local_lock: true } }),
    ).toMatchObject({
      status: 422,
      data: { 'enables.local_lock': expect.any(String) },
    });
  });
});

describe('a custom object', () => {
  it('a custom object must be a JSON object, shows what would change, and arrives unchanged', async () => {
    const device = await connected();
    const custom = (value: unknown, more: object = {}) =>
      admin.call(
        '/device/set_customize_console',
        { device_id: device.id, custom: value, ...more },
        { 'accept-language': 'en' },
      );
    for (const wrong of [[1], 'no json', '"text"', 5, null, '[]'])
      expect(await custom(wrong)).toMatchObject({
        status: 422,
        data: { custom: 'Self-defined parameters must be a JSON object' },
      });
    expect((await custom({ a: 'x'.repeat(5000) })).status).toBe(422);
    await custom({ a: 1, deep: { b: 2 } });
    await becomes(async () => (await select(device)).custom.state, 'applied');
    const { revision } = await select(device);
    const preview = await custom('{"a":1,"deep":{"b":3,"c":[1]}}', { preview: true });
    expect(preview.data).toEqual({
      preview: true,
      revision,
      state: 'none',
      diff: [
        { path: 'deep.b', before: 2, after: 3 },
        { path: 'deep.c', after: [1] },
      ],
    });
    expect((await select(device)).revision).toBe(revision);
    expect(await custom('{"a":1,"deep":{"b":3,"c":[1]}}', { revision })).toMatchObject({ status: 200 });
    await becomes(async () => (await select(device)).custom.state, 'applied');
    expect(device.simulated.core.custom).toEqual({ a: 1, deep: { b: 3, c: [1] } });
    const service = (body: object) =>
      admin.call(
        '/device_service/set_device_service',
        { device_id: device.id, ...body },
        { 'accept-language': 'en' },
      );
    expect((await service({ server_address: '', device_address: '' })).data).toEqual({
      server_address: 'Server address and device address are required',
      device_address: 'Server address and device address are required',
    });
    expect((await service({ server_address: 'a b', device_address: '1' })).status).toBe(422);
    await service({ server_address: 'iot.example.org:8883', device_address: '7', upload_seconds: 300 });
    await eventually(
      async () => (device.simulated.core.custom as { service?: unknown }).service !== undefined,
    );
    expect(device.simulated.core.custom).toMatchObject({ a: 1, service: { device_address: '7' } });
    expect(device.simulated.core.parameters['tele_s']).toBe(300);
  });
});

describe('a custom object that would not come back unchanged', () => {
  const nested = (levels: number, inner = '1') => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;
  const languages = ['zh', 'en', 'ru'];
  it.each([
    [
      'text',
      ['{"a":12345678901234567890}', '{"a":[9007199254740992]}', '{"a":{"b":-1e400}}'],
      [
        '数值过大，无法精确保存，请改为文本',
        'A number is too large to be kept exactly; write it as text',
        'Число слишком велико для точного хранения; запишите его текстом',
      ],
    ],
    [
      'names',
      ['{"a":1,"a":2}', '{"a":{"b:c":1,"x":"\\"}:","b:c":1}}', '{"__proto__":1,"__proto__":2}'],
      ['对象中有重复的名称', 'A name occurs twice in the object', 'Имя повторяется в объекте'],
    ],
    [
      'characters',
      [String.raw`{"a":"\u0000"}`, String.raw`{"\ud800":1}`, String.raw`{"a":["\udc00"]}`],
      [
        '含有无法保存的字符',
        'It contains a character that cannot be stored',
        'Содержит символ, который нельзя сохранить',
      ],
    ],
    [
      'size',
      [
        nested(9),
        nested(5000),
        nested(1, '['.repeat(50_000) + ']'.repeat(50_000)),
        nested(1, `"${'x'.repeat(4100)}"`),
      ],
      [
        '自定义参数过大（不超过 4 KB、8 层）',
        'Self-defined parameters are too large (4 KB and 8 levels at most)',
        'Пользовательские параметры слишком велики (не более 4 КБ и 8 уровней)',
      ],
    ],
  ])('a custom object is refused at its field: %s', async (_what, texts, sentences) => {
    const device = await connected();
    for (const custom of texts)
      for (const [index, language] of languages.entries())
        expect(
          await admin.call(
            '/device/set_customize_console',
            { device_id: device.id, custom, preview: index === 0 },
            { 'accept-language': language },
          ),
        ).toMatchObject({ status: 422, data: { custom: sentences[index] } });
  });
  it('a custom object is not refused for names that JavaScript objects inherit, nor for text that only resembles an invalid character', async () => {
    const device = await connected();
    const text = String.raw`{"constructor":{"a":1},"__proto__":{"b":2},"a.b":3,"":4,"a":{"b":5,"\\u0000":"\\"}}`;
    const set = (preview: boolean) =>
      admin.call('/device/set_customize_console', { device_id: device.id, custom: text, preview });
    expect((await set(true)).data.diff.map(({ path }: { path: string }) => path)).toEqual([
      'constructor',
      '__proto__',
      '["a.b"]',
      '[""]',
      'a',
    ]);
    expect((await set(false)).status).toBe(200);
    await becomes(async () => (await select(device)).custom.state, 'applied');
    expect(JSON.parse(JSON.stringify(device.simulated.core.custom))).toEqual(JSON.parse(text));
    expect((await set(true)).data.diff).toEqual([]);
  });
});

it('the operation log keeps no secret of a call, and no body of a refused call', async () => {
  const device = await connected();
  const custom = { wifi: { name: 'Hall', wifi_password: 'Grey-Heron-7' }, keys: [{ token: 'Red-Fox-9' }] };
  await admin.call('/device/set_customize_console', { device_id: device.id, custom });
  const stranger = await world.as((await makeUser(world.db, { role: 77, letters: '' })).id);
  const long = await stranger.call('/device/set_customize_console', {
    device_id: device.id,
    custom: { a: 'x'.repeat(500_000), b: Array.from({ length: 100_000 }, () => 1) },
  });
  expect(long.status).toBe(403);
  const { rows } = await world.pool.query<{ text: string; parameters: { custom: object } }>(
    `select parameters::text as text, parameters from operation_log where key = 'setting.custom'
     order by id desc limit 2`,
  );
  expect(rows[1]!.parameters.custom).toEqual({ wifi: { name: 'Hall' }, keys: [{}] });
  // For a refused call only the refusal is stored.
  expect(rows[0]!.parameters).toEqual({ fault: 'permission.denied' });
});

describe('whole devices', () => {
  it('whole devices take the default values of their type once, and can be reset to them', async () => {
    const device = await connected(7);
    const other = await connected(3);
    expect(await admin.call('/device/tpdhbConfigList', { device_id: other.id })).toMatchObject({
      status: 409,
    });
    expect((await admin.call('/device/tpdhbConfigList', { device_id: device.id })).data.type).toBe(7);
    await admin.call('/device/setTPDHB', {
      device_id: device.id,
      settings: [{ key: 'oc_a', n: 1, value: 130 }],
    });
    await settingBecomes(device, 'oc_a', 'applied');
    expect(await admin.call('/device/first_device_set', { device_id: device.id })).toMatchObject({
      status: 409,
    });
    expect(await admin.call('/device/first_device_set', { device_id: other.id })).toMatchObject({
      status: 200,
    });
    await admin.call('/device_do/device_default', { device_id: device.id });
    expect(await settingBecomes(device, 'oc_a', 'applied')).toMatchObject({ desired: 120 });
    await eventually(async () => device.simulated.core.lines[0]!.parameters['oc_a'] === 120);
  });

  it('every value of a whole device is explained in words', async () => {
    const english = await admin.call(
      '/device_do/explainingVariableApi',
      { type: 2 },
      { 'accept-language': 'en' },
    );
    const named = Object.fromEntries(
      english.data.variables.map((one: { key: string; name: string; unit: string }) => [
        one.key,
        `${one.name} ${one.unit}`,
      ]),
    );
    expect(named).toMatchObject({
      'in.U.a': 'Voltage (input, A) V',
      'out.H3': 'Harmonic current of order 3 (output) %',
      'T.c': 'Temperature (case) °C',
      thdu: 'Voltage THD alarm %',
    });
  });
});

describe('many devices at once', () => {
  it('the answer says that settings take effect if a device accepts them, and that nothing changes if none does', async () => {
    const [taker, limiter] = [await connected(), await connected(7)];
    const give = (device_ids: number[]) =>
      admin.call('/device/device_set', { device_ids, settings: [{ key: 'il_trip', value: 100 }] });
    expect(await give([limiter.id])).toMatchObject({
      status: 200,
      code: 0,
      msg: '没有可执行的操作',
      data: { results: [{ id: limiter.id, result: 'skipped' }] },
    });
    expect(await give([taker.id, limiter.id])).toMatchObject({ code: 200, msg: '已提交，正在生效' });
  });
  it('the operation log of each project shows the settings that concern it, and no device of another', async () => {
    const [here, elsewhere] = [await connected(), await connected()];
    const other = await makeProject(world.db);
    await world.db
      .updateTable('devices')
      .set({ project_id: other.id })
      .where('id', '=', elsewhere.id)
      .execute();
    const device_ids = [here.id, elsewhere.id];
    const { data } = await admin.call('/device/device_set', {
      ...{ device_ids, settings: [{ key: 'il_trip', value: 100 }] },
    });
    const { rows } = await sql<{ project_id: number; device_ids: number[] }>`
      select project_id, parameters -> 'device_ids' as device_ids from operation_log
      where parameters ->> 'job_id' = ${data.job_id} order by project_id`.execute(world.db);
    expect(rows).toEqual([
      { project_id: project, device_ids: [here.id] },
      { project_id: other.id, device_ids: [elsewhere.id] },
    ]);
  });
  it('each device ends as done, waiting or refused, also when the server dies in the middle', async () => {
    const devices = await Promise.all(Array.from({ length: 12 }, () => connected()));
    const limiter = await connected(7);
    const foreign = 999_999;
    for (const device of devices.slice(6)) await device.disconnect();
    const answer = await admin.call('/device/device_set', {
      device_ids: [...devices.map((device) => device.id), limiter.id, foreign],
      settings: [{ key: 'il_trip', value: 100 }],
    });
    expect(answer.data.results.slice(-2)).toMatchObject([
      { id: limiter.id, result: 'skipped' },
      { id: foreign, result: 'denied' },
    ]);
    const job = async () => (await admin.call('/device_job/get_job', { job_id: answer.data.job_id })).data;
    await world.restart();
    await becomes(async () => (await job()).counts.applied, 6);
    expect(await job()).toMatchObject({
      total: 14,
      done: false,
      counts: { waiting: 6, skipped: 1, denied: 1 },
    });
    for (const device of devices.slice(6)) await device.connect();
    expect(
      await eventually(async () => {
        const now = await job();
        return now.done && now;
      }),
    ).toMatchObject({ counts: { applied: 12, skipped: 1, denied: 1 } });
    for (const device of devices) {
      expect(device.received).toHaveLength(1);
      expect(device.simulated.core.lines.map((line) => line.parameters['il_trip'])).toEqual([100, 100]);
    }
  });
});
