import { glob, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Permission } from '#contract/permissions.ts';
import { type CfgMessage, lockBits } from '#contract/telemetry.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import {
  commandInFlight,
  goesOffline,
  interlocks,
  losesTheProject,
  losesTheRight,
  makePlace,
  ofDevice,
  type Place,
  setTag,
  shows,
  signedInLongAgo,
} from '#test/interlocks.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { becomes, eventually } from '#test/wait.ts';
import type { Answer } from '#test/world.ts';
import { type ConfigPurpose, configPurposes, configRefusals } from './config-message.ts';
import { type GuardReason, guardReasons } from './control.guard.ts';

let world: SwitchingWorld;
let project: number;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
});
afterAll(() => world.close());

const reasons = [...configRefusals, 'foreign', 'denied', 'password_needed'] as const;
type Reason = (typeof reasons)[number];
/**
 * Refused by the call; stored and waiting, with the reason shown; sent; or sent with the closing parts
 * disabled.
 */
type Outcome = 'refused' | 'waits' | 'goes out' | 'goes out at rest';

/** The device reports its configuration: the row as ingest writes it, and the event. */
const reports = async ({ device }: Place, given: Partial<CfgMessage> & { rev: number }) => {
  const config: CfgMessage = { v: 1, p: {}, ...given };
  await sql`insert into device_reported (device_id, kind, received_at, payload)
    values (${device.id}, 'cfg', ${new Date(world.clock.now())}, ${JSON.stringify(config)})
    on conflict (device_id, kind) do update set payload = excluded.payload`.execute(world.db);
  world.bus.emit('device.config', { deviceId: device.id, config });
  await eventually(async () => {
    const known = await world.db
      .selectFrom('device_settings')
      .select('reported_rev')
      .where('device_id', '=', device.id)
      .executeTakeFirst();
    return known?.reported_rev === given.rev;
  });
};
const sentTo = ({ device }: Place) =>
  world.configs.filter(({ deviceNumber }) => deviceNumber === device.number).map(({ config }) => config);

/** The server's clock was set, or the equipment was replaced, and the device has not reported since. */
const clockUnknown = ({ device }: Place) =>
  world.db
    .updateTable('device_state')
    .set({ clock_unknown: true })
    .where('device_id', '=', device.id)
    .execute();

const holds: Record<Reason, (place: Place) => Promise<unknown>> = {
  foreign: losesTheProject,
  denied: losesTheRight,
  password_needed: signedInLongAgo,
  missing: (place) =>
    ofDevice(place, { deleted_at: new Date(world.clock.now()), project_id: null }).then(() =>
      goesOffline(place),
    ),
  unbound: (place) => ofDevice(place, { project_id: null }),
  offline: goesOffline,
  unreported: ({ device }) =>
    world.db.deleteFrom('device_reported').where('device_id', '=', device.id).execute(),
  ota: (place) => commandInFlight(place, 'ota', place.device.deviceLine.id),
  stale: clockUnknown,
  net_ctrl_off: (place) => ofDevice(place, { net_ctrl: false }),
  locked: (place) => shows(place, { lock: lockBits.maintenance }),
  tagged: setTag,
  uninspected: (place) => interlocks.uninspected.holds(place),
  busy: ({ device }) =>
    world.db
      .insertInto('config_messages')
      .values({
        id: crypto.randomUUID(),
        device_id: device.id,
        purpose: 'settings',
        base: 17,
        content: '{}',
        state: 'sent',
        reason: null,
        sent_at: new Date(world.clock.now()),
        expires_at: new Date(world.clock.now() + 60_000),
        ended_at: null,
      })
      .execute(),
};

interface Way {
  purpose: ConfigPurpose;
  path: string;
  type?: number;
  /** Preparation of the case, done while nothing forbids it. */
  prepare?(place: Place): Promise<Record<string, unknown>>;
  go(place: Place, prepared: Record<string, unknown>): Promise<Answer>;
  /** Cells that differ from the rule, each with the reason. */
  differs?: Partial<Record<Reason, readonly [outcome: Outcome | 'cannot be', why: string]>>;
}
const harmless = ['goes out', 'It closes nothing, now or later'] as const;
const noPassword = ['goes out', 'It cannot close a line, so no password is asked for'] as const;
const plain: Way['differs'] = {
  stale: harmless,
  tagged: harmless,
  net_ctrl_off: harmless,
  locked: harmless,
  uninspected: harmless,
  password_needed: noPassword,
};
const setting = (path: string, body: object, more: Partial<Way> = {}): Way => ({
  purpose: 'settings',
  path,
  differs: plain,
  go: ({ device, caller }) => caller.call(path, { device_id: device.id, ...body }),
  ...more,
});
/** It may close a line: it needs what a close needs. */
const closing = (path: string, body: object, more: Partial<Way> = {}) =>
  setting(path, body, { differs: {}, ...more });
/** It weakens the protection of a line: it needs no tag and a recent password, like a close. */
const hazardous = (path: string, body: object, more: Partial<Way> = {}) =>
  setting(path, body, {
    differs: {
      locked: ['goes out', 'It closes nothing'],
      uninspected: ['goes out', 'It closes nothing, and the inspection is owed all the same'],
    },
    ...more,
  });
const harmlessFirst: Way['differs'] = {
  stale: ['goes out', 'Its stricter values; the others wait for a report'],
  net_ctrl_off: ['goes out', 'Its stricter values; those that need remote control wait'],
  locked: ['goes out', 'Its stricter and weaker values; those that may close wait'],
  uninspected: ['goes out', 'Its stricter and weaker values; those that may close wait'],
};
const ofMany =
  (settings: object[]): Way['go'] =>
  ({ device, caller }) =>
    caller.call('/device/device_set', { device_ids: [device.id], settings });
/** The device reported 55 °C and 275 V before, so 50 °C is stricter and 280 V is weaker. */
const stricter = [{ key: 'tc_w', n: 1, value: 50 }];
const weaker = [{ key: 'ov_trip', n: 1, value: 280 }];
const weekly = { type: 'weekly', w1: true, time: '08:00', action: 'close', run_by: 'device' };
const added = async ({ device, caller }: Place, more: object = {}) =>
  (await caller.call('/device_timing/add_device_timing', { line_id: device.line.id, ...weekly, ...more }))
    .data;
/** A timer that the device holds, and has confirmed. */
const held = async (place: Place): Promise<Record<string, unknown>> => {
  const timer = await added(place);
  const [push] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  await reports(place, { rev: 18, id: push!.id, st: 'applied', timers: push!.timers! });
  const row = () =>
    world.db
      .selectFrom('timer_copies')
      .select('state')
      .where('device_id', '=', place.device.id)
      .where('state', '=', 'synced')
      .executeTakeFirst();
  await eventually(row);
  world.configs.length = 0;
  return timer;
};
const timers: Way['differs'] = {
  tagged: ['goes out at rest', 'The device is given to let it rest'],
  net_ctrl_off: ['goes out at rest', 'The device is given to let it rest'],
  locked: ['goes out at rest', 'The device is given to let it rest'],
  uninspected: ['goes out at rest', 'The device is given to let it rest'],
};
const ways: Record<string, Way> = {
  'stricter parameters of a device': setting('/device/device_set', { settings: stricter }),
  'weaker parameters of a device': hazardous('/device/device_set', { settings: weaker }),
  'a leakage trip of 0, which is off': hazardous('/device/device_set', {
    settings: [{ key: 'il_trip', n: 1, value: 0 }],
  }),
  'a longer delay': hazardous('/device/device_set', { settings: [{ key: 'oc_t', n: 1, value: 90 }] }),
  'a rarer report': hazardous('/device/device_set', { settings: [{ key: 'tele_s', value: 600 }] }),
  'more auto-reclose attempts': closing('/device/device_set', { settings: [{ key: 'ar_n', value: 5 }] }),
  'stricter parameters of many devices': setting(
    '/device/device_set',
    {},
    {
      go: ofMany(stricter),
      differs: {
        stale: harmless,
        tagged: harmless,
        net_ctrl_off: harmless,
        locked: harmless,
        uninspected: harmless,
      },
    },
  ),
  'weaker parameters of many devices': hazardous('/device/device_set', {}, { go: ofMany(weaker) }),
  'stricter parameters of a limiter': setting('/device/setTPDHB', { settings: stricter }, { type: 7 }),
  'weaker parameters of a limiter': hazardous('/device/setTPDHB', { settings: weaker }, { type: 7 }),
  'first values': hazardous('/device/first_device_set', {}, { differs: harmlessFirst }),
  'default values': hazardous('/device_do/device_default', {}, { differs: harmlessFirst }),
  'a custom object': closing('/device/set_customize_console', { custom: { a: 1 } }),
  'the service address': closing('/device_service/set_device_service', {
    server_address: 'a.example',
    device_address: 'b',
  }),
  'an enable that closes by itself': closing('/device_do/device_use', {
    enables: { auto_reclose: true },
  }),
  'the enable of built-in timers': closing('/device_do/device_use', { enables: { timer_en: true } }),
  'a protection switched off': hazardous('/device_do/device_use', { enables: { prot_il: false } }),
  'a protection switched on': setting('/device_do/device_use', { enables: { prot_op: true } }),
  'the buzzer switched off': hazardous('/device_do/device_use', { enables: { buzzer: false } }),
  'the quota switched off': closing('/device_do/device_use', { enables: { quota_en: false } }),
  'an enable without a hazard': setting('/device_do/device_use', { enables: { led: false } }),
  'remote control itself': setting(
    '/device_do/setDeviceEnableNetCtrl',
    { enabled: true },
    {
      differs: {
        ...plain,
        offline: ['waits', 'It is kept for the device'],
        unreported: ['cannot be', 'A device that never reported its enables: the server’s switch decides'],
      },
    },
  ),
  'a timer added to the device': {
    purpose: 'timers',
    path: '/device_timing/add_device_timing',
    differs: timers,
    go: ({ device, caller }) =>
      caller.call('/device_timing/add_device_timing', { line_id: device.line.id, ...weekly }),
  },
  'a timer in the device changed': {
    purpose: 'timers',
    path: '/device_timing/edit_device_titming',
    differs: timers,
    prepare: held,
    go: ({ caller }, { timer_id, revision }) =>
      caller.call('/device_timing/edit_device_titming', { timer_id, revision, ...weekly, time: '09:00' }),
  },
  'a timer in the device removed': {
    purpose: 'timers',
    path: '/device_timing/delete_device_timing',
    prepare: held,
    differs: {
      stale: harmless,
      tagged: harmless,
      net_ctrl_off: harmless,
      locked: harmless,
      uninspected: harmless,
      password_needed: noPassword,
      unbound: ['waits', 'The timer is gone here; its copy waits'],
      missing: ['cannot be', 'A deleted device has no session that could hold anything'],
    },
    go: ({ caller }, { timer_id }) =>
      caller.call('/device_timing/delete_device_timing', { timer_ids: [timer_id] }),
  },
};
/** Reasons for which the call itself is refused; all others are checked when the message is sent. */
const atTheDoor: readonly Reason[] = ['foreign', 'denied', 'missing', 'tagged', 'password_needed'];
const outcomeOf = (way: Way, reason: Reason): Outcome | 'cannot be' =>
  way.differs?.[reason]?.[0] ??
  (atTheDoor.includes(reason) || (reason === 'unbound' && way.purpose === 'timers') ? 'refused' : 'waits');

/** A switch that has reported its settings and holds two timers. */
const placeFor = async ({ type = 3 }: Way): Promise<Place> => {
  const place = await makePlace(world, project);
  await world.db
    .updateTable('devices')
    .set({ caps: ['open', 'close', 'timer2'], type })
    .where('id', '=', place.device.id)
    .execute();
  await reports(place, {
    rev: 17,
    timers: [],
    p: { 1: { tc_w: 55, tc_a: 65, ov_trip: 275, il_trip: 30, oc_t: 60 }, dev: { tele_s: 60, ar_n: 3 } },
    en: {
      net_ctrl: false,
      timer_en: false,
      auto_reclose: false,
      prot_il: true,
      prot_op: false,
      buzzer: true,
      quota_en: true,
      led: true,
    },
  });
  return place;
};
const isRefused = ({ status, data }: Answer): string | null => {
  if (status === 200) {
    const [row] = data?.results ?? [];
    if (row?.reason === 'control.tagged') return 'tagged';
    return row?.result === 'denied' ? 'foreign' : null;
  }
  return data?.reason ?? (status === 404 ? 'foreign' : status === 403 ? 'denied' : `status ${status}`);
};
/** The reason shown for a waiting desired value. */
const waitsFor = async (way: Way, { device }: Place): Promise<string | null | undefined> => {
  if (way.purpose === 'settings') {
    const wish = await world.db
      .selectFrom('device_desired')
      .select('reason')
      .where('device_id', '=', device.id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    return wish?.reason;
  }
  const copy = await world.db
    .selectFrom('timer_copies')
    .selectAll()
    .where('device_id', '=', device.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (!copy || copy.pushed_at !== null) return null;
  return copy.reason?.replace(/^\w+\./, '') ?? (copy.tries > 0 ? 'busy' : null);
};
const kept = async ({ device }: Place) => {
  const [wishes, written] = [
    await world.db.selectFrom('device_desired').selectAll().where('device_id', '=', device.id).execute(),
    await world.db
      .selectFrom('timers')
      .select(['id', 'revision', 'time'])
      .where('device_id', '=', device.id)
      .execute(),
  ];
  return { wishes, written };
};

const logged = ({ caller }: Place) =>
  world.db
    .selectFrom('operation_log')
    .select('parameters')
    .where('user_id', '=', caller.userId)
    .where('outcome', '=', 'refused')
    .execute();

describe.each(Object.entries(ways))('%s', (_name, way) => {
  const cells = reasons
    .map((reason) => [reason, outcomeOf(way, reason)] as const)
    .filter(([, outcome]) => outcome !== 'cannot be');

  test.each(cells)('interlock %s: result “%s”', async (reason, outcome) => {
    const place = await placeFor(way);
    const prepared = (await way.prepare?.(place)) ?? {};
    await holds[reason](place);
    const before = await kept(place);
    const answer = await way.go(place, prepared);
    const refusal = isRefused(answer);
    if (outcome === 'refused') {
      const given = reason === 'missing' ? 'foreign' : reason === 'unbound' ? 'status 409' : reason;
      expect(refusal, answer.msg).toBe(given);
      expect(await kept(place)).toEqual(before);
      if (answer.status !== 200) expect(await logged(place)).toHaveLength(1);
    } else expect(refusal, answer.msg).toBeNull();
    if (outcome === 'waits') await becomes(async () => await waitsFor(way, place), reason);
    if (!outcome.startsWith('goes out')) {
      expect(sentTo(place)).toEqual([]);
      return;
    }
    const [sent] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
    if (outcome === 'goes out at rest') expect(sent!.timers).toMatchObject([{ action: 'close', en: 0 }]);
  });
});

/** These contain stricter and weaker values, and the stricter ones do not wait. */
const mixed = ['first values', 'default values'];
const hazards = Object.entries(ways).filter(
  ([name, way]) => way.differs && !way.differs.tagged && !mixed.includes(name),
);
test.each(hazards)('%s, stored for an offline device, waits while a tag is active', async (_, way) => {
  const place = await placeFor(way);
  await goesOffline(place);
  expect(await way.go(place, {})).toMatchObject({ status: 200 });
  await becomes(async () => await waitsFor(way, place), 'offline');
  await setTag(place);
  const { id } = place.device;
  await world.db.updateTable('device_state').set({ online: true }).where('device_id', '=', id).execute();
  world.bus.emit('device.online', { deviceId: id, online: true, at: world.clock.now(), why: 'test' });
  await eventually(async () => {
    world.clock.advance(1000);
    return (await waitsFor(way, place)) === 'tagged';
  });
  expect(sentTo(place)).toEqual([]);
});

test('a tag disables the closing timers in a device even while remote control is disabled', async () => {
  const place = await placeFor(ways['a timer added to the device']!);
  await held(place);
  await holds.net_ctrl_off(place);
  await setTag(place);
  const [sent] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  expect(sent!.timers).toMatchObject([{ action: 'close', en: 0 }]);
});

/** The line reports that remote control is locked at the device. */
const lockedAtTheDevice = (place: Place) => shows(place, { lock: lockBits.netControlOff });

test('a trip without an inspection disables the closing timers in a device even while remote control is disabled', async () => {
  const place = await placeFor(ways['a timer added to the device']!);
  await held(place);
  // Both without an event, as if the server had died: the next round finds them.
  await holds.net_ctrl_off(place);
  await holds.uninspected(place);
  world.clock.advance(60_000);
  const [sent] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  expect(sent!.timers).toMatchObject([{ action: 'close', en: 0 }]);
});

test.each([
  [
    'disabled',
    holds.net_ctrl_off,
    (place: Place) => ofDevice(place, { net_ctrl: true }),
    'control.net_ctrl_off',
  ],
  ['locked at the device', lockedAtTheDevice, (place: Place) => shows(place), 'control.net_ctrl_off'],
  [
    'locked at the line',
    (place: Place) => shows(place, { lock: lockBits.local }),
    (place: Place) => shows(place),
    'control.locked',
  ],
] as const)(
  'closing timers in a device rest while remote control is %s',
  async (_what, ends, begins, why) => {
    const place = await placeFor(ways['a timer added to the device']!);
    await held(place);
    const list = async () =>
      (await place.caller.call('/device_timing/get_list', { device_id: place.device.id })).data.list[0];
    await ends(place);
    world.clock.advance(60_000);
    const resting = await eventually(async () => sentTo(place)[0]);
    expect(resting.timers).toMatchObject([{ action: 'close', en: 0 }]);
    await reports(place, { rev: 19, id: resting.id, st: 'applied', timers: resting.timers! });
    await becomes(async () => (await list()).sync, 'synced');
    expect((await list()).sync_message).toBe(sentence(why, 'zh-CN'));
    await begins(place);
    // Its report shows the timers at rest: they are the server's, and no change at the device.
    await reports(place, { rev: 20, timers: resting.timers! });
    const resumed = await eventually(async () => sentTo(place)[1]);
    expect(resumed.timers).toMatchObject([{ action: 'close', en: 1 }]);
  },
);

test.each(hazards)('%s waits while remote control is locked at the device', async (_, way) => {
  const place = await placeFor(way);
  await lockedAtTheDevice(place);
  expect(await way.go(place, {})).toMatchObject({ status: 200 });
  await becomes(async () => await waitsFor(way, place), 'net_ctrl_off');
  expect(sentTo(place)).toEqual([]);
});

test('a closing timer is taken out of a device whose clock is unknown, and another one stays', async () => {
  const place = await placeFor(ways['a timer added to the device']!);
  const first = await held(place);
  await added(place, { time: '10:00' });
  const [push] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  await reports(place, { rev: 19, id: push!.id, st: 'applied', timers: push!.timers! });
  world.configs.length = 0;
  await clockUnknown(place);
  await place.caller.call('/device_timing/delete_device_timing', { timer_ids: [first['timer_id']] });
  const [sent] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  expect(sent!.timers).toMatchObject([{ action: 'close', time: '10:00', en: 1 }]);
});

test('a weaker value is not handed over in the seconds after the clock of the server was set', async () => {
  const way = ways['weaker parameters of a device']!;
  const place = await placeFor(way);
  world.clock.step(-100_000);
  // The time of a password from before the step would be in the future.
  const now = new Date(world.clock.now());
  await world.db.updateTable('sessions').set({ authenticated_at: now }).execute();
  expect(await way.go(place, {})).toMatchObject({ status: 200 });
  await becomes(async () => await waitsFor(way, place), 'stale');
  expect(sentTo(place)).toEqual([]);
});

test('what may close or weaken expires by the clock of the device as a close does', async () => {
  const way = ways['weaker parameters of a device']!;
  const place = await placeFor(way);
  // The clock of the device is 40 s slow.
  await world.db
    .updateTable('device_state')
    .set({ clock_ms: 40_000, clock_behind_ms: 40_000 })
    .where('device_id', '=', place.device.id)
    .execute();
  const asked = world.clock.now();
  expect(await way.go(place, {})).toMatchObject({ status: 200 });
  const [sent] = await eventually(async () => sentTo(place).length > 0 && sentTo(place));
  expect(sent!.exp - (asked - 40_000)).toBeLessThanOrEqual(60_000);
});

describe('reported or answered while a configuration that may close is on its way to the broker:', () => {
  /** The configuration is given to the link, which takes some time to send it. */
  const during = async (way: Way, forbid: (place: Place) => Promise<unknown>) => {
    const place = await placeFor(way);
    const given = Promise.withResolvers<void>();
    world.configTrouble.before = async (deviceNumber) => {
      if (deviceNumber !== place.device.number) return;
      given.resolve();
      await wait(200);
    };
    expect(await way.go(place, {})).toMatchObject({ status: 200 });
    await given.promise;
    await forbid(place);
    world.configTrouble.before = async () => {};
    return sentTo(place).length;
  };
  const closingWays = ['an enable that closes by itself', 'a custom object', 'a timer added to the device'];
  const forbidding: [string, (place: Place) => Promise<unknown>][] = [
    [
      'a lock-out tag',
      ({ device, caller }) =>
        caller.call('/lockout_tag/add_tag', { device_id: device.id, reason: 'Busbar work' }),
    ],
    [
      'remote control disabled',
      ({ device, caller }) =>
        caller.call('/device_do/setDeviceEnableNetCtrl', { device_id: device.id, enabled: false }),
    ],
    ['a lock of remote control at the device', lockedAtTheDevice],
    ['a maintenance lock of the line', holds.locked],
    [
      'its author disabled',
      ({ caller }) =>
        world.db.updateTable('users').set({ enabled: false }).where('id', '=', caller.userId).execute(),
    ],
  ];
  test.each(closingWays.flatMap((name) => forbidding.map(([what, forbid]) => [what, name, forbid] as const)))(
    '%s is answered after %s was sent',
    async (_what, name, forbid) => {
      expect(await during(ways[name]!, forbid)).toBe(1);
    },
  );
});

test('a setting that may close a line needs the permission to switch lines', async () => {
  const place = await placeFor(ways['a custom object']!);
  const user = await makeUser(world.db, { role: 77, letters: 'C', projects: [{ id: project }] });
  const caller = await world.as(user.id);
  const use = (enables: object) =>
    caller.call('/device_do/device_use', { device_id: place.device.id, enables });
  expect(await use({ auto_reclose: true })).toMatchObject({ status: 403 });
  expect(await use({ prot_il: false })).toMatchObject({ status: 200 });
});

test('a value that replaces a stricter desired one needs the password', async () => {
  const place = await placeFor(ways['weaker parameters of a device']!);
  await goesOffline(place);
  const set = (value: number) =>
    place.caller.call('/device/device_set', {
      device_id: place.device.id,
      settings: [{ key: 'ov_trip', n: 1, value }],
    });
  expect(await set(260)).toMatchObject({ status: 200 });
  await signedInLongAgo(place);
  expect(await set(275)).toMatchObject({ status: 409, data: { reason: 'password_needed' } });
  expect(await set(255)).toMatchObject({ status: 200 });
});

test('under a tag the stricter waiting values are sent and the weaker ones wait', async () => {
  const place = await placeFor(ways['weaker parameters of a device']!);
  const { id } = place.device;
  await goesOffline(place);
  const answer = await place.caller.call('/device/device_set', {
    device_id: id,
    settings: [...stricter, ...weaker],
  });
  expect(answer).toMatchObject({ status: 200 });
  await becomes(async () => await waitsFor(ways['weaker parameters of a device']!, place), 'offline');
  await setTag(place);
  await world.db.updateTable('device_state').set({ online: true }).where('device_id', '=', id).execute();
  world.bus.emit('device.online', { deviceId: id, online: true, at: world.clock.now(), why: 'test' });
  const [sent] = await eventually(async () => {
    world.clock.advance(1000);
    return sentTo(place).length > 0 && sentTo(place);
  });
  expect(sent!.p).toEqual({ 1: { tc_w: 50 } });
});

describe('the matrix', () => {
  test('the matrix has a row for each purpose of a configuration', () => {
    expect([...new Set(Object.values(ways).map((way) => way.purpose))].sort()).toEqual(
      [...configPurposes].sort(),
    );
  });

  test('the matrix has a row for each call that changes device behaviour, or the reason why not', () => {
    const acts: readonly (Permission | 'public' | 'signedIn')[] = [
      'line.switch',
      'device.control',
      'device.configure',
      'timer.write',
      'tag.write',
      'firmware.write',
    ];
    const elsewhere: Record<string, string> = {
      '/device_do/device_do': 'paths.matrix.test.ts',
      '/device_line/onekey_opening': 'paths.matrix.test.ts',
      '/device_line/set_nominal_voltage': 'server/lines/nominal-voltage.test.ts',
      '/version/start_rollout': 'paths.matrix.test.ts, cause rollout',
      '/version/change_rollout': 'paths.matrix.test.ts, cause rollout',
      '/version/add_version': 'A file and its description: a rollout sends it',
      '/version/edit_version': 'A file and its description: a rollout sends it',
      '/version/del_version': 'Refused while a rollout uses it',
      '/version/add_key': 'Who may sign; a rollout sends',
      '/version/revoke_key': 'It forbids',
      '/lockout_tag/add_tag': 'It forbids',
      '/lockout_tag/review_tag': 'It moves the day of the review',
      '/lockout_tag/remove_tag': 'What it lets out again is judged like a change of the timers',
    };
    const writing = endpoints
      .filter(
        ({ log, permission, path }) =>
          log !== undefined && (acts.includes(permission) || path.startsWith('/device_do/')),
      )
      .map(({ path }) => path);
    const covered = [...Object.values(ways).map(({ path }) => path), ...Object.keys(elsewhere)];
    expect([...new Set(writing)].filter((path) => !covered.includes(path))).toEqual([]);
  });

  test('a configuration is asked for each reason that refuses a close, or the reason why not is known', () => {
    // A new reason of the guard does not compile until it is here or in `configRefusals`.
    const notAsked: Record<Exclude<GuardReason, Reason>, string> = {
      line_needed: 'A configuration names its lines',
      unsupported: 'The contract names the device types of each value',
      bad_param: 'Each value is checked when it is asked for',
      moved: 'Values that wait stay behind: server/device-settings/author-rights.ts',
      tripped: 'Reclosing is for trips; `uninspected` refuses it after a grave one',
      alarm_active: 'It takes effect later: the device judges the line when it closes',
      supply_bad: 'It takes effect later: the device judges the supply when it closes',
      critical_line: 'It interrupts nothing',
      too_fast: 'It takes effect later: the device keeps the pause',
    };
    expect(guardReasons.filter((reason) => !(reasons as readonly string[]).includes(reason)).sort()).toEqual(
      Object.keys(notAsked).sort(),
    );
  });

  test('the matrix has a row for each file that calls the guard', async () => {
    const asking: string[] = [];
    for await (const file of glob('server/**/*.ts'))
      if (!/\.(test|world)\.ts$/.test(file) && /\bsender\s*\.send\(/.test(await readFile(file, 'utf8')))
        asking.push(file);
    expect(asking.sort()).toEqual(['server/device-settings/push.ts', 'server/timers/copies.ts']);
  });
});
