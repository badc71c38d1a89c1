import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { alarmNames } from '#contract/alarm-names.ts';
import { sentence } from '#contract/faults/codes.ts';
import { controlFaults } from '#contract/faults/control.ts';
import { languages } from '#contract/languages.ts';
import { commandVerbs } from '#contract/telemetry.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { type ControlWorld, createControlWorld } from '#test/control-world.ts';
import { makeDevice, makeProject, makeTag, makeUser } from '#test/factories.ts';
import { healthy, makeSwitch, observe, type Switch } from '#test/switches.ts';
import { type Client, testPassword } from '#test/world.ts';

let world: ControlWorld;
let project: number;
let admin: Client;
let device: Switch;
beforeAll(async () => {
  world = await createControlWorld();
  project = (await makeProject(world.db)).id;
  await makeUser(world.db, { role: 1, username: 'chief' }).then(async (user) => {
    admin = await world.as(user.id);
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.deleteFrom('default_thresholds').execute();
  device = await makeSwitch(world, project);
});

const ask = (action: string, extra: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  admin.call(
    '/device_do/device_do',
    { device_id: device.id, line_id: device.line.id, action, ...extra },
    headers,
  );
const set = (values: Record<string, unknown>) =>
  world.db.updateTable('devices').set(values).where('id', '=', device.id).execute();
const state = (values: Record<string, unknown>) =>
  world.db.updateTable('device_state').set(values).where('device_id', '=', device.id).execute();
const line = (values: Record<string, unknown>) =>
  world.db.updateTable('lines').set(values).where('id', '=', device.line.id).execute();
const allowed = (thresholds: Record<string, number>) =>
  world.db
    .insertInto('default_thresholds')
    .values({
      project_id: project,
      device_type: 3,
      thresholds: JSON.stringify(thresholds),
      updated_at: new Date(world.clock.now()),
      updated_by: 0,
    })
    .execute();
const seen = (values: Parameters<typeof observe>[3]) =>
  observe(world.db, device.line.id, world.clock.now(), values);
/** Numbers of commands that the tests write themselves. */
let serial = 500_000;
const alarm = (code: number, level: 1 | 2 = 2, lineId = device.line.id) =>
  makeAlarm(
    world.pool,
    { id: device.id, project_id: project, part_id: null, lines: [] },
    { at: world.clock.now(), code, level, lineId, source: 'device', valueType: 4 },
  );
const firmware = {
  url: 'https://firmware.example/sw4-1.5.0.bin',
  size: 412_300,
  sha256: 'a'.repeat(64),
  to: '1.5.0',
};
const tag = (on: Parameters<typeof makeTag>[1]) =>
  makeTag(world.db, on, {
    owner: admin.userId,
    at: world.clock.now(),
    reason: 'Working on the busbar',
  });
const operation = async (verb: string, secondsAgo: number) =>
  world.db
    .insertInto('commands')
    .values({
      id: crypto.randomUUID(),
      device_id: device.id,
      line_id: device.line.id,
      number: ++serial,
      verb,
      state: 'verified',
      reason: null,
      cause: 'button',
      batch_id: null,
      user_id: admin.userId,
      operator: 'chief',
      address: '',
      created_at: new Date(world.clock.now() - secondsAgo * 1000),
      expires_at: new Date(world.clock.now()),
      deadline_at: new Date(world.clock.now()),
      sent_at: new Date(world.clock.now() - secondsAgo * 1000),
      acknowledged_at: null,
      ended_at: new Date(world.clock.now()),
    })
    .execute();
const inFlight = async (verb: string) => {
  const answer = await ask(verb);
  expect(answer).toMatchObject({ status: 200 });
};
/** The device has sent no message and no reading since then. */
const quiet = async (since: Date | null) => {
  await state({ last_seen: since });
  if (since) await observe(world.db, device.line.id, since.getTime());
  else await world.db.deleteFrom('line_latest').where('line_id', '=', device.line.id).execute();
};
const ago = (ms: number) => new Date(world.clock.now() - ms);

type Row = [
  condition: string,
  arrange: () => Promise<unknown>,
  open: keyof typeof controlFaults | null,
  close: keyof typeof controlFaults | null,
];
const table: Row[] = [
  ['nothing stands against it', async () => {}, null, null],
  ['the device is offline', () => state({ online: false }), 'control.offline', 'control.offline'],
  ['the device was not heard lately', () => quiet(ago(121_000)), 'control.stale', 'control.stale'],
  ['the device was never heard', () => quiet(null), 'control.stale', 'control.stale'],
  [
    'the clock of the server was set back half an hour and the line has reported since',
    () => state({ last_seen: ago(-1_800_000) }),
    null,
    null,
  ],
  [
    'the clock of the server was set back half an hour and the line has not reported since',
    () => quiet(ago(-1_800_000)),
    null,
    'control.stale',
  ],
  ['only its readings are fresh', () => state({ last_seen: ago(121_000) }), null, null],
  [
    'the last reading is older than twice the upload interval',
    () => observe(world.db, device.line.id, world.clock.now() - 121_000),
    null,
    'control.stale',
  ],
  [
    'the line never reported',
    () => world.db.deleteFrom('line_latest').where('line_id', '=', device.line.id).execute(),
    null,
    'control.stale',
  ],
  ['the position is unknown', () => seen({ position: null }), null, 'control.stale'],
  ['the trip state is unknown', () => seen({ trip: null }), null, 'control.stale'],
  ['the lock state is unknown', () => seen({ lock: null }), null, 'control.stale'],
  ...(['position', 'trip', 'lock'] as const).map(
    (fact): Row => [
      `the ${fact} was last reported more than twice the upload interval ago`,
      () => seen({ facts: { [`${fact}_at`]: ago(121_000) } }),
      null,
      'control.stale',
    ],
  ),
  [
    'a leakage condition is active whose alarm type is switched off',
    () =>
      world.db
        .insertInto('line_conditions')
        .values({
          line_id: device.line.id,
          code: 301,
          phase: 0,
          device_id: device.id,
          since: new Date(),
          source: 'server',
          event_id: null,
          boot: null,
          latched: true,
        })
        .execute(),
    null,
    'control.alarm_active',
  ],
  [
    'remote control is disabled',
    () => set({ net_ctrl: false }),
    'control.net_ctrl_off',
    'control.net_ctrl_off',
  ],
  [
    'the device itself has disabled remote control',
    () => seen({ lock: 4 }),
    'control.net_ctrl_off',
    'control.net_ctrl_off',
  ],
  ['the line is locked on site', () => seen({ lock: 1 }), 'control.locked', 'control.locked'],
  ['the device is under maintenance', () => seen({ lock: 2 }), 'control.locked', 'control.locked'],
  ['a trip is latched', () => seen({ trip: 301 }), null, 'control.tripped'],
  ...[205, 301, 401, 402, 501, 502].map(
    (code): Row => [`alarm ${code} stands`, () => alarm(code), null, 'control.alarm_active'],
  ),
  ['only an early warning 301 stands', () => alarm(301, 1), null, null],
  ['an alarm of no danger to closing stands', () => alarm(202), null, null],
  [
    'a leakage alarm stands on the whole device',
    () => alarm(301, 2, device.deviceLine.id),
    null,
    'control.alarm_active',
  ],
  ['a phase is lost', () => alarm(103), null, 'control.supply_bad'],
  ['the supply is too low', () => seen({ values: { ...healthy, 'U.a': 170 } }), null, 'control.supply_bad'],
  ['the supply is too high', () => seen({ values: { ...healthy, 'U.a': 270 } }), null, 'control.supply_bad'],
  [
    'the supply is below what the project allows',
    async () => {
      await allowed({ uv_a: 215 });
      await seen({ values: { ...healthy, 'U.a': 210 } });
    },
    null,
    'control.supply_bad',
  ],
  [
    'the supply is below what the project allows and above what the device does',
    async () => {
      await allowed({ uv_a: 215 });
      await world.db
        .updateTable('lines')
        .set({ thresholds: JSON.stringify({ uv_a: 200 }) })
        .where('id', '=', device.deviceLine.id)
        .execute();
      await seen({ values: { ...healthy, 'U.a': 210 } });
    },
    null,
    null,
  ],
  ['the supply is not measured', () => seen({ values: { 'I.a': 0 } }), null, 'control.supply_bad'],
  ['the line is critical', () => line({ critical: true }), 'control.critical_line', null],
  ['it was switched 2 s ago', () => operation('open', 2), null, 'control.too_fast'],
  ['it was switched 4 s ago', () => operation('open', 4), null, null],
  [
    'it was switched ten times within the hour',
    async () => {
      for (let n = 1; n <= 10; n++) await operation(n % 2 ? 'open' : 'close', n * 300);
    },
    null,
    'control.too_fast',
  ],
  ['an open is in flight', () => inFlight('open'), 'control.busy', 'control.busy'],
  ['a close is in flight', () => inFlight('close'), null, 'control.busy'],
  ['firmware is being updated', () => inFlightOfDevice('ota'), null, 'control.ota'],
  ['a lock-out tag hangs on the line', () => tag({ line_id: device.line.id }), null, 'control.tagged'],
  ['a lock-out tag hangs on the device', () => tag({ device_id: device.id }), null, 'control.tagged'],
  ['the device is not bound', () => set({ project_id: null }), 'control.unbound', 'control.unbound'],
  [
    'the line cannot be switched',
    () => line({ switchable: false }),
    'control.unsupported',
    'control.unsupported',
  ],
];
const inFlightOfDevice = async (verb: string) => {
  const parameters = verb === 'ota' ? firmware : {};
  const answer = await admin.call('/device_do/device_do', { device_id: device.id, action: verb, parameters });
  expect(answer).toMatchObject({ status: 200 });
};

describe('the interlock table', () => {
  for (const [condition, arrange, open, close] of table)
    for (const [action, fault] of [
      ['open', open],
      ['close', close],
    ] as const)
      test(`${action} is ${fault ? `refused (${fault})` : 'allowed'} when ${condition}`, async () => {
        await arrange();
        const before = await rows();
        if (fault === null) {
          expect(await ask(action)).toMatchObject({ status: 200, data: { state: 'created' } });
          return;
        }
        for (const language of languages) {
          const answer = await ask(action, {}, { 'accept-language': language });
          expect(answer.status).toBe(controlFaults[fault].http);
          expect(answer.data.reason).toBe(fault.replace('control.', ''));
          const [start] = controlFaults[fault][language].split('{');
          if (!start!.includes('(')) expect(answer.msg.startsWith(start!)).toBe(true);
          expect(answer.msg).not.toContain('{');
        }
        expect(await rows()).toBe(before);
      });
});
const rows = async () =>
  (
    await world.db
      .selectFrom('commands')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('device_id', '=', device.id)
      .executeTakeFirstOrThrow()
  ).n;

test('a tag on the project refuses a close and shows its text and owner; a removed tag does not', async () => {
  const other = (await makeProject(world.db)).id;
  device = await makeSwitch(world, other);
  const { id } = await tag({ project_id: other });
  expect((await ask('close', {}, { 'accept-language': 'en-US' })).msg).toBe(
    'A lock-out tag forbids this: Working on the busbar (chief)',
  );
  await world.db
    .updateTable('lockout_tags')
    .set({ removed_at: new Date(), removed_by: admin.userId })
    .where('id', '=', id)
    .execute();
  expect(await ask('close')).toMatchObject({ status: 200 });
});

test.each(languages)(
  'a close that comes too soon or too often is refused with the required pause (%s)',
  async (language) => {
    for (let n = 1; n <= 10; n++) await operation(n % 2 ? 'open' : 'close', n * 300);
    const { msg } = await ask('close', {}, { 'accept-language': language });
    expect(msg.match(/\d+/g)).toEqual(['3', '10']);
  },
);

test('a critical line opens only when its name is typed, and only for administrators and regional administrators', async () => {
  await line({ critical: true });
  const user = await makeUser(world.db, { role: 3, projects: [{ id: project }] });
  const body = { device_id: device.id, line_id: device.line.id, action: 'open', confirm_name: 'Line 1' };
  expect(await (await world.as(user.id)).call('/device_do/device_do', body)).toMatchObject({ status: 403 });
  expect(await ask('open', { confirm_name: 'Line 2' })).toMatchObject({ status: 409 });
  expect(await ask('open', { confirm_name: 'Line 1' })).toMatchObject({ status: 200 });
});

test('a leakage test of a critical line, which opens it, is only for users who may open it', async () => {
  await line({ critical: true });
  const user = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
  const about = { device_id: device.id, line_id: device.line.id };
  const test = { ...about, action: 'leak_test', confirm_name: 'Line 1' };
  expect(await user.call('/device_do/device_do', test)).toMatchObject({ status: 403 });
  const view = await user.call('/device_do/get_device_do_info', { device_id: device.id });
  expect(view.data.actions).toContainEqual(
    expect.objectContaining({
      action: 'leak_test',
      line_id: device.line.id,
      allowed: false,
      reason: 'denied',
    }),
  );
  await line({ critical: false });
  expect(await user.call('/device_do/device_do', test)).toMatchObject({ status: 200 });
});

describe('the parameters of a command', () => {
  const without = (key: keyof typeof firmware) =>
    Object.fromEntries(Object.entries(firmware).filter(([name]) => name !== key));
  const wrong: [verb: string, parameters: Record<string, unknown>, named: string][] = [
    ...commandVerbs
      .filter((verb) => verb !== 'ota')
      .map((verb): [string, Record<string, unknown>, string] => [verb, { t: 4_102_444_800_000 }, 't']),
    ['ota', {}, 'url, size, sha256, to'],
    ['ota', { ...firmware, force: true }, 'force'],
    ['ota', { ...firmware, url: 'file:///etc/passwd' }, 'url'],
    ['ota', { ...firmware, url: `https://a.example/${'x'.repeat(500)}` }, 'url'],
    ['ota', { ...firmware, size: 0 }, 'size'],
    ['ota', { ...firmware, size: '412300' }, 'size'],
    ['ota', { ...firmware, sha256: 'a'.repeat(63) }, 'sha256'],
    ['ota', { ...firmware, to: 'new; reboot' }, 'to'],
    ['ota', { ...firmware, sig: 'none' }, 'sig'],
    ...(['url', 'size', 'sha256', 'to'] as const).map((key): [string, Record<string, unknown>, string] => [
      'ota',
      without(key),
      key,
    ]),
  ];

  test.each(wrong)('%s refuses %j and names %s', async (action, parameters, named) => {
    const before = await rows();
    const line_id = ['open', 'close', 'leak_test'].includes(action) ? device.line.id : undefined;
    const body = { device_id: device.id, line_id, action, parameters };
    // A test of arcs is for detectors only: the type is checked first.
    if (action === 'arc_test') await set({ caps: ['arc_test'] });
    expect(await admin.call('/device_do/device_do', body)).toMatchObject({
      status: 422,
      data: { reason: 'bad_param', parameters: named },
    });
    expect(await rows()).toBe(before);
  });

  test('an update command carries the file exactly as it was given', async () => {
    const body = { device_id: device.id, action: 'ota', parameters: firmware };
    expect(await admin.call('/device_do/device_do', body)).toMatchObject({ status: 200 });
    await world.control.settled();
    expect(world.link.publishedTo(device)).toMatchObject([{ command: { cmd: 'ota', p: firmware } }]);
  });
});

describe('what acts on the whole device', () => {
  const ask = (action: string, more: object = {}, by = admin) =>
    by.call('/device_do/device_do', {
      device_id: device.id,
      action,
      ...(action === 'ota' ? { parameters: firmware } : {}),
      ...more,
    });

  test.each(['reboot', 'selftest', 'ota'])('%s asks for the name of a critical line', async (action) => {
    await line({ critical: true });
    expect(await ask(action)).toMatchObject({
      status: 409,
      data: { reason: 'critical_line', line: 'Line 1' },
    });
    const wrong = await ask(action, { confirm_name: 'Line 2' });
    expect(wrong).toMatchObject({ status: 409, data: { reason: 'critical_line', confirm_name: wrong.msg } });
    expect(await ask(action, { confirm_name: 'Line 1' })).toMatchObject({ status: 200 });
  });

  test.each(['reboot', 'selftest'])(
    'role 3 cannot request %s of a device with a critical line',
    async (action) => {
      const user = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
      await line({ critical: true });
      expect(await ask(action, { confirm_name: 'Line 1' }, user)).toMatchObject({ status: 403 });
      await line({ critical: false });
      expect(await ask(action, {}, user)).toMatchObject({ status: 200 });
    },
  );

  test.each(['reboot', 'ota'])(
    'a tag on any line refuses %s, even if the command names another line',
    async (action) => {
      device = await makeSwitch(world, project, 2);
      await tag({ line_id: device.lines[1]!.id });
      for (const more of [{}, { line_id: device.lines[0]!.id }])
        expect(await ask(action, more)).toMatchObject({ status: 409, data: { reason: 'tagged' } });
    },
  );

  test('an update is refused while any line has tripped or any alarm of level 2 is active', async () => {
    device = await makeSwitch(world, project, 2);
    await observe(world.db, device.lines[1]!.id, world.clock.now(), { trip: 301 });
    expect(await ask('ota')).toMatchObject({ status: 409, data: { reason: 'tripped' } });
    await observe(world.db, device.lines[1]!.id, world.clock.now(), { trip: 0 });
    await alarm(402, 2, device.lines[1]!.id);
    expect(await ask('ota')).toMatchObject({ status: 409, data: { reason: 'alarm_active', types: '402' } });
  });

  test.each(['reset', 'reboot', 'ota', 'selftest', 'clear_energy', 'time_sync'])(
    '%s is refused while a line reports that remote control is disabled',
    async (action) => {
      device = await makeSwitch(world, project, 2);
      await observe(world.db, device.lines[1]!.id, world.clock.now(), { lock: 4 });
      expect(await ask(action)).toMatchObject({ status: 409, data: { reason: 'net_ctrl_off' } });
    },
  );

  test('a reset of a fault-arc detector does not restore supply and needs no password', async () => {
    await set({ type: 5 });
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(world.clock.now() - 16 * 60_000) })
      .where('user_id', '=', admin.userId)
      .execute();
    expect(await ask('reset')).toMatchObject({ status: 200 });
    expect(await ask('reboot')).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
    expect(await ask('reboot', { password: 'not this one' })).toMatchObject({ status: 422 });
    expect(await ask('reboot', { password: testPassword })).toMatchObject({ status: 200 });
  });
});

test('a setting decides how long a password counts; an invalid setting gives the default', async () => {
  const asksAfter = async (minutes: number, freshMinutes: unknown) => {
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: ago(minutes * 60_000) })
      .execute();
    const value = JSON.stringify({ freshMinutes });
    await world.db
      .insertInto('settings')
      .values({ key: 'session', value, updated_at: ago(0) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
    return (await ask('close')).data?.reason === 'password_needed';
  };
  try {
    expect(await asksAfter(6, 5)).toBe(true);
    expect(await asksAfter(16, -1)).toBe(true);
    expect(await asksAfter(16, 20)).toBe(false);
  } finally {
    await world.db.deleteFrom('settings').where('key', '=', 'session').execute();
    await world.db
      .updateTable('sessions')
      .set({ authenticated_at: ago(0) })
      .execute();
  }
});

test('closing asks for the password if it was last given over 15 minutes ago; the right password is enough', async () => {
  const { userId } = admin;
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: ago(15 * 60_000 + 1) })
    .where('user_id', '=', userId)
    .execute();
  const refused = await ask('close');
  expect(refused).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
  const serial = { 'accept-serial': crypto.randomUUID() };
  for (const _ of [1, 2])
    expect(await ask('close', { password: 'wrong123' }, serial)).toMatchObject({
      status: 422,
      data: { password: expect.any(String) },
    });
  expect(await ask('close', { password: testPassword })).toMatchObject({ status: 200 });
  const log = await world.db.selectFrom('operation_log').select('parameters').execute();
  expect(JSON.stringify(log)).not.toContain(testPassword);
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: ago(0) })
    .execute();
});

test('an open never asks for the password', async () => {
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: ago(24 * 3_600_000) })
    .execute();
  expect(await ask('open', { password: 'wrong123' })).toMatchObject({ status: 200 });
  await world.db
    .updateTable('sessions')
    .set({ authenticated_at: ago(0) })
    .execute();
});

test('a device outside the scope is reported as missing, and without the permission nothing is switched', async () => {
  const foreign = await makeUser(world.db, { role: 3, projects: [{ id: (await makeProject(world.db)).id }] });
  const onlooker = await makeUser(world.db, { role: 77, letters: 'A', projects: [{ id: project }] });
  const body = { device_id: device.id, line_id: device.line.id, action: 'open' };
  expect(await (await world.as(foreign.id)).call('/device_do/device_do', body)).toMatchObject({
    status: 404,
  });
  expect(await (await world.as(onlooker.id)).call('/device_do/device_do', body)).toMatchObject({
    status: 403,
  });
  const other = await makeSwitch(world, project);
  expect(await ask('open', { line_id: other.line.id })).toMatchObject({ status: 404 });
  expect(await admin.call('/device_do/device_do', { device_id: device.id, action: 'close' })).toMatchObject({
    status: 422,
  });
});

describe('a reset of a limiter, which restores the supply of a tripped line', () => {
  beforeEach(async () => {
    await set({ type: 7 });
    await limited();
  });
  const limited = (values: Parameters<typeof observe>[3] = {}) => seen({ trip: 201, type: 7, ...values });
  const resets = (line_id: number | null) =>
    admin.call('/device_do/device_do', {
      device_id: device.id,
      ...(line_id === null ? {} : { line_id }),
      action: 'reset',
    });
  const forbidding: readonly (readonly [reason: string, condition: string, () => Promise<unknown>])[] = [
    ['stale', 'the device was not heard lately', () => quiet(ago(121_000))],
    ['stale', 'the lock sensor is lost', () => limited({ lock: null })],
    ['locked', 'the line is locked locally', () => limited({ lock: 1 })],
    ['locked', 'the line is under maintenance', () => limited({ lock: 2 })],
    ['supply_bad', 'the supply is bad', () => limited({ values: { ...healthy, 'U.a': 150 } })],
    [
      'uninspected',
      'nobody has inspected the line since its trip',
      () =>
        world.db
          .insertInto('line_trips')
          .values({
            ...{ line_id: device.line.id, device_id: device.id, code: 205, grave: true },
            ...{ at: ago(60_000), received_at: ago(60_000) },
          })
          .execute(),
    ],
    ['busy', 'an open is in flight', () => inFlight('open')],
  ];

  test.each(forbidding)(
    'a reset is refused (%s) while %s, for the line and for the device',
    async (reason, _, arrange) => {
      await arrange();
      for (const lineId of [device.line.id, null])
        expect(await resets(lineId)).toMatchObject({ status: 409, data: { reason } });
    },
  );

  test('a reset is not refused because of the latched trip and alarm that it ends', async () => {
    await alarm(205);
    expect(await resets(device.line.id)).toMatchObject({ status: 200 });
  });
});

test.each(['reset', 'clear_energy', 'reboot', 'ota'])(
  'a %s, which may close a line or weaken its protection, waits for a report while the clock of the device is unknown',
  async (action) => {
    const lineId = action === 'reset' || action === 'clear_energy' ? device.line.id : undefined;
    const more = action === 'ota' ? { parameters: firmware } : {};
    await state({ clock_unknown: true });
    const answer = await ask(action, { line_id: lineId, ...more });
    expect(answer).toMatchObject({ status: 409, data: { reason: 'stale' } });
    expect(await ask('open')).toMatchObject({ status: 200 });
  },
);

test('only queries pass while remote control is disabled; its switch is in the operation log', async () => {
  const path = '/device_do/setDeviceEnableNetCtrl';
  expect(await admin.call(path, { device_id: device.id })).toMatchObject({ data: { enabled: true } });
  expect(await admin.call(path, { device_id: device.id, enabled: false })).toMatchObject({
    data: { enabled: false },
  });
  const verb = (action: string) => admin.call('/device_do/device_do', { device_id: device.id, action });
  expect(await verb('reset')).toMatchObject({ status: 409, data: { reason: 'net_ctrl_off' } });
  expect(await verb('read')).toMatchObject({ status: 200 });
  const logged = await world.db
    .selectFrom('operation_log')
    .select(['key', 'outcome', 'parameters'])
    .where('device_id', '=', device.id)
    .where('key', '=', 'control.netControl')
    .execute();
  expect(logged).toMatchObject([{ outcome: 'done', parameters: { enabled: false, before: true } }]);
});

test('each line shows which actions are possible now, with the reason in the language of the reader', async () => {
  await alarm(301);
  const answer = await admin.call(
    '/device_do/get_device_do_info',
    { device_id: device.id },
    { 'accept-language': 'ru-RU' },
  );
  const of = (action: string) =>
    answer.data.actions.find(
      (one: { action: string; line_id: number | null }) =>
        one.action === action && one.line_id === device.line.id,
    );
  expect(answer.data).toMatchObject({ online: true, fresh: true, net_ctrl: true, password_needed: false });
  expect(of('open')).toMatchObject({ allowed: true, reason: null });
  expect(of('close')).toMatchObject({
    allowed: false,
    reason: 'alarm_active',
    message: sentence('control.alarm_active', 'ru-RU', { types: '301' }),
  });
  expect(of('close').message).toContain(alarmNames['ru-RU'][301]);
});

test('a device is offered only the tests of its type, unless it reports more', async () => {
  const offered = async (type: number, caps: string[] = []) => {
    const one = await makeDevice(world.db, { project_id: project, type, online: true });
    await world.db.updateTable('devices').set({ caps }).where('id', '=', one.id).execute();
    const { data } = await admin.call('/device_do/get_device_do_info', { device_id: one.id });
    const acts: { action: string; reason: string | null }[] = data.actions;
    return ['leak_test', 'arc_test'].filter((test) =>
      acts.some(({ action, reason }) => action === test && reason !== 'unsupported'),
    );
  };
  expect(await offered(1)).toEqual([]);
  expect(await offered(3)).toEqual(['leak_test']);
  expect(await offered(4)).toEqual(['leak_test']);
  expect(await offered(5)).toEqual(['arc_test']);
  expect(await offered(6)).toEqual(['arc_test']);
  expect(await offered(7)).toEqual(['leak_test', 'arc_test']);
  expect(await offered(3, ['arc_test'])).toEqual(['leak_test', 'arc_test']);
});

test('a reset is offered for each line and for the whole device', async () => {
  const one = await makeDevice(world.db, { project_id: project, online: true, lines: 2 });
  const { data } = await admin.call('/device_do/get_device_do_info', { device_id: one.id });
  const acts: { action: string; line_id: number | null }[] = data.actions;
  const resets = acts.filter(({ action }) => action === 'reset').map(({ line_id }) => line_id);
  expect(new Set(resets)).toEqual(new Set([null, ...one.lines.map(({ id }) => id)]));
  expect(resets).toHaveLength(3);
});

test('a filter opens and closes if it reports a bypass; a fault-arc detector never does', async () => {
  const offered = async (type: number) => {
    const one = await makeDevice(world.db, { project_id: project, type, online: true });
    await world.db
      .updateTable('devices')
      .set({ caps: ['open', 'close', 'leak_test'] })
      .where('id', '=', one.id)
      .execute();
    await world.db.updateTable('lines').set({ switchable: true }).where('device_id', '=', one.id).execute();
    const { data } = await admin.call('/device_do/get_device_do_info', { device_id: one.id });
    const acts: { action: string; reason: string | null }[] = data.actions;
    return ['open', 'close'].filter((verb) =>
      acts.some(({ action, reason }) => action === verb && reason !== 'unsupported'),
    );
  };
  for (const type of [1, 2]) expect(await offered(type)).toEqual(['open', 'close']);
  for (const type of [5, 6]) expect(await offered(type)).toEqual([]);
});
