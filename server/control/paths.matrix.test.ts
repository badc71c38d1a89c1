import { glob, readFile } from 'node:fs/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultCode } from '#contract/faults/codes.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { makeProject } from '#test/factories.ts';
import { interlocks, makePlace, type Place, type Reason, shows } from '#test/interlocks.ts';
import { makeRollout } from '#test/rollouts.ts';
import { clockAlarm, makeSwitch } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { eventually } from '#test/wait.ts';
import { testPassword } from '#test/world.ts';
import { guardReasons } from './control.guard.ts';
import { commandCauses } from './request.ts';

let world: SwitchingWorld;
let project: number;
beforeAll(async () => {
  world = await createSwitchingWorld();
  project = (await makeProject(world.db)).id;
});
afterAll(() => world.close());

/** The result of one attempt: null if the guard allowed it. */
interface Result {
  fault: FaultCode | null;
  /** Everything that was reported, as text. */
  words: string;
}
type Try = (says: Record<string, unknown>) => Promise<Result>;
interface Way {
  /** The cause of this path's commands. */
  cause: (typeof commandCauses)[number];
  /** The file that calls the guard. */
  caller: string;
  verb:
    | 'open'
    | 'close'
    | 'leak_test'
    | 'time_sync'
    | 'reset'
    | 'clear_energy'
    | 'reboot'
    | 'ota'
    | 'selftest'
    | 'read';
  /** Text of its row in the operation log. */
  log: string;
  /** It was asked for before the command is: what may close does not follow the device to another project. */
  asksBefore?: true;
  /** Performs everything up to the call of the guard. */
  prepare(place: Place): Promise<Try>;
}
const refused = (answer: { status: number; data: unknown; msg: string }, fault?: FaultCode): Result => ({
  fault: answer.status === 200 ? null : (fault ?? faultOf(answer)),
  words: JSON.stringify([answer.msg, answer.data]),
});
const faultOf = ({ status, data }: { status: number; data: unknown }): FaultCode => {
  const reason = (data as { reason?: Reason } | null)?.reason;
  if (reason !== undefined) return interlocks[reason].fault;
  return status === 404 ? 'device.missing' : 'permission.denied';
};
const english = { 'accept-language': 'en-US' };

const direct =
  (verb: Way['verb'], how: 'cookie' | 'token' | 'form', more: object = {}): Way['prepare'] =>
  async ({ device, caller }) =>
  async (says) => {
    const body = { device_id: device.id, line_id: device.line.id, action: verb, ...more, ...says };
    if (how === 'token') return refused(await caller.call('/device_do/device_do', body, english));
    if (how === 'cookie')
      return refused(
        await world.call('/device_do/device_do', body, {
          ...english,
          cookie: `PHPSESSID=${caller.token}`,
          'accept-serial': crypto.randomUUID(),
        }),
      );
    const form = new URLSearchParams();
    for (const [key, value] of Object.entries(body))
      if (value !== undefined)
        form.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
    return refused(
      await caller.call('/device_do/device_do', form.toString(), {
        ...english,
        'content-type': 'application/x-www-form-urlencoded',
      }),
    );
  };
const oneKey =
  (action: 'open' | 'close'): Way['prepare'] =>
  async ({ device, caller }) =>
  async () => {
    const answer = await caller.call(
      '/device_line/onekey_opening',
      { device_id: device.id, action },
      english,
    );
    const [line] = (answer.data as { lines?: { reason: FaultCode }[] } | null)?.lines ?? [];
    return refused(answer, line?.reason);
  };
/** A batch of two lines whose first command has been sent: the second one is sent 300 ms later. */
const turnOfTheSecond: Way['prepare'] = async ({ device, caller }) => {
  const first = await makeSwitch(world, project);
  const { data } = await caller.call('/device_line/onekey_opening', {
    device_ids: [first.id, device.id],
    action: 'close',
    password: testPassword,
  });
  const lineAt = (position: number) =>
    world.db
      .selectFrom('batch_lines')
      .selectAll()
      .where('batch_id', '=', data.batch_id)
      .where('position', '=', position)
      .where('state', '<>', 'waiting')
      .executeTakeFirst();
  await eventually(() => lineAt(0));
  return async () => {
    world.clock.advance(300);
    const { reason, reason_with } = await eventually(() => lineAt(1));
    return { fault: reason as FaultCode | null, words: JSON.stringify(reason_with) };
  };
};
const zoneMs = 8 * 3_600_000; // Asia/Shanghai
const timer =
  (action: 'open' | 'close'): Way['prepare'] =>
  async (place) => {
    const { device, caller } = place;
    const at = (Math.ceil(world.clock.now() / 60_000) + 1) * 60_000;
    const local = new Date(at + zoneMs).toISOString();
    const added = await caller.call('/device_timing/add_device_timing', {
      line_id: device.line.id,
      type: 'once',
      date: local.slice(0, 10),
      time: local.slice(11, 16),
      action,
    });
    world.clock.set(at - 100);
    const now = new Date(world.clock.now());
    await world.db
      .updateTable('device_state')
      .set({ last_seen: now })
      .where('device_id', '=', device.id)
      .execute();
    await shows(place);
    return async () => {
      world.clock.advance(100);
      const ran = await world.hears('timer.ran', (run) => run.timerId === added.data.timer_id);
      const result = await caller.call('/device_timing/get_runs', { timer_id: ran.timerId }, english);
      return { fault: ran.reason as FaultCode | null, words: JSON.stringify(result.data) };
    };
  };

/** The alarm for a wrong device clock. */
const wrongClock: Way['prepare'] =
  async ({ device }) =>
  async () => {
    world.bus.emit('alarms.changed', [clockAlarm(device, project, device.id)]);
    const [logged] = await eventually(async () => {
      const rows = await world.db
        .selectFrom('operation_log')
        .select('parameters')
        .where('channel', '=', 'auto')
        .where('device_id', '=', device.id)
        .execute();
      return rows.length > 0 && rows;
    });
    return { fault: (logged!.parameters['fault'] as FaultCode) ?? null, words: 'boris' };
  };

const firmware = {
  url: 'https://firmware.example/sw4-1.5.0.bin',
  size: 412_300,
  sha256: 'a'.repeat(64),
  to: '1.5.0',
};
/** A firmware rollout to this one device, for the caller. */
const rollout: Way['prepare'] = async ({ device, caller }) => {
  const { db, bus, clock, control } = world;
  const id = await makeRollout(db, {
    deviceIds: [device.id],
    authorId: caller.userId,
    type: 3,
    to: `9.${device.id}`,
  });
  return async () => {
    const rollouts = createRollouts({
      db,
      bus,
      clock,
      control,
      log: pino({ level: 'silent' }),
      addressOf: addressesBelow('https://ampwatch.example'),
    });
    rollouts.start();
    const row = await eventually(async () => {
      const found = await db
        .selectFrom('rollout_devices')
        .select(['state', 'reason', 'reason_with'])
        .where('rollout_id', '=', id)
        .executeTakeFirstOrThrow();
      return (found.state !== 'waiting' || found.reason !== null) && found;
    });
    await rollouts.stop();
    await db.updateTable('rollouts').set({ state: 'stopped' }).where('id', '=', id).execute();
    return { fault: row.reason as FaultCode | null, words: JSON.stringify(row.reason_with) };
  };
};
const routes = 'server/control/control.routes.ts';
const step = 'server/one-key/step.ts';
const fire = 'server/timers/fire.ts';
const command = 'control.command';
/** Every path to a device's command topic. */
const ways: Record<string, Way> = {
  'the button that closes': {
    cause: 'button',
    caller: routes,
    verb: 'close',
    log: command,
    prepare: direct('close', 'cookie'),
  },
  'the button that opens': {
    cause: 'button',
    caller: routes,
    verb: 'open',
    log: command,
    prepare: direct('open', 'cookie'),
  },
  'a closing API call': {
    cause: 'api',
    caller: routes,
    verb: 'close',
    log: command,
    prepare: direct('close', 'token'),
  },
  'a closing API call with form fields': {
    cause: 'api',
    caller: routes,
    verb: 'close',
    log: command,
    prepare: direct('close', 'form'),
  },
  'the leakage test, which opens': {
    cause: 'api',
    caller: routes,
    verb: 'leak_test',
    log: command,
    prepare: direct('leak_test', 'token'),
  },
  'a reset, which may restore the supply': {
    cause: 'api',
    caller: routes,
    verb: 'reset',
    log: command,
    prepare: direct('reset', 'token'),
  },
  'clearing the energy of a line with a quota': {
    cause: 'api',
    caller: routes,
    verb: 'clear_energy',
    log: command,
    prepare: direct('clear_energy', 'token'),
  },
  'a restart of the device': {
    cause: 'api',
    caller: routes,
    verb: 'reboot',
    log: command,
    prepare: direct('reboot', 'token', { line_id: undefined }),
  },
  'an update of the firmware': {
    cause: 'api',
    caller: routes,
    verb: 'ota',
    log: command,
    prepare: direct('ota', 'token', { line_id: undefined, parameters: firmware }),
  },
  'a rollout of firmware': {
    cause: 'rollout',
    caller: 'server/firmware/ask.ts',
    verb: 'ota',
    log: 'version.update',
    asksBefore: true,
    prepare: rollout,
  },
  'the self-test of the device': {
    cause: 'api',
    caller: routes,
    verb: 'selftest',
    log: command,
    prepare: direct('selftest', 'token', { line_id: undefined }),
  },
  'setting the clock by hand': {
    cause: 'api',
    caller: routes,
    verb: 'time_sync',
    log: command,
    prepare: direct('time_sync', 'token', { line_id: undefined }),
  },
  'the server, which sets a clock': {
    cause: 'auto',
    caller: 'server/control/clock-check.ts',
    verb: 'time_sync',
    log: command,
    prepare: wrongClock,
  },
  'one-key close of a device': {
    cause: 'onekey',
    caller: step,
    verb: 'close',
    log: 'line.oneKey',
    prepare: oneKey('close'),
  },
  'one-key open of a device': {
    cause: 'onekey',
    caller: step,
    verb: 'open',
    log: 'line.oneKey',
    prepare: oneKey('open'),
  },
  'one-key close of a project, when the turn comes': {
    cause: 'onekey',
    caller: step,
    verb: 'close',
    log: 'line.oneKeyLine',
    asksBefore: true,
    prepare: turnOfTheSecond,
  },
  'a timer that closes': {
    cause: 'timer',
    caller: fire,
    verb: 'close',
    log: 'timer.fire',
    asksBefore: true,
    prepare: timer('close'),
  },
  'a timer that opens': {
    cause: 'timer',
    caller: fire,
    verb: 'open',
    log: 'timer.fire',
    prepare: timer('open'),
  },
};

const namesItsLine = 'The way names its lines itself';
const ofNobody = 'The server acts on nobody’s behalf';
const noParameters = 'The way takes no parameters';
const ofTheDevice = 'It is about the device itself';
/** Impossible cells, each with the reason. */
const impossible: Record<string, Partial<Record<Reason, string>>> = {
  'one-key close of a device': { line_needed: namesItsLine, bad_param: noParameters },
  'one-key open of a device': { line_needed: namesItsLine, bad_param: noParameters },
  'one-key close of a project, when the turn comes': {
    line_needed: namesItsLine,
    bad_param: noParameters,
    password_needed: 'It was given when the batch was asked for',
  },
  'a timer that closes': {
    line_needed: namesItsLine,
    bad_param: noParameters,
    password_needed: 'Nobody is there to give it; the author’s right is asked for anew instead',
  },
  'a timer that opens': { line_needed: namesItsLine, bad_param: noParameters },
  'the server, which sets a clock': {
    foreign: ofNobody,
    denied: ofNobody,
    line_needed: ofTheDevice,
    bad_param: noParameters,
  },
  'a restart of the device': { line_needed: ofTheDevice },
  'an update of the firmware': { line_needed: ofTheDevice },
  'a rollout of firmware': {
    line_needed: ofTheDevice,
    bad_param: 'Size, checksum, version and signature were checked when the version was added',
    foreign: 'An author who loses letter K with the project pauses the rollout',
    denied: 'The rollout is paused before it asks: server/firmware/firmware.test.ts',
    password_needed: 'It was given when the rollout began',
  },
  'the self-test of the device': { line_needed: ofTheDevice },
  'setting the clock by hand': { line_needed: ofTheDevice },
};
/** Reasons that a path gives instead of the guard's own. */
const saysInstead: Record<string, Partial<Record<Reason, FaultCode>>> = {
  'a timer that closes': { denied: 'timer.author', foreign: 'timer.author' },
  'a timer that opens': { denied: 'timer.author', foreign: 'timer.author' },
  'a rollout of firmware': { critical_line: 'firmware.critical' },
};
/** Reasons that refuse every command. */
const always: readonly Reason[] = ['foreign', 'denied', 'bad_param', 'unbound', 'offline'];
/**
 * Further reasons for each verb. Source: domain reference §4.2; for what may close a line or weaken its
 * protection: §1.3–1.5.
 */
const moving: readonly Reason[] = [
  'line_needed',
  'unsupported',
  'stale',
  'net_ctrl_off',
  'locked',
  'critical_line',
  'busy',
];
const asClosing: readonly Reason[] = ['net_ctrl_off', 'tagged', 'ota', 'password_needed'];
const refusing: Record<Way['verb'], readonly Reason[]> = {
  close: [
    'line_needed',
    'unsupported',
    'stale',
    'locked',
    'tripped',
    'alarm_active',
    'uninspected',
    'supply_bad',
    'busy',
    'too_fast',
    ...asClosing,
  ],
  open: moving,
  leak_test: [...moving, 'ota'],
  reset: asClosing,
  clear_energy: [...asClosing, 'uninspected'],
  reboot: [...asClosing, 'critical_line', 'uninspected'],
  ota: [...asClosing, 'critical_line', 'tripped', 'alarm_active', 'uninspected'],
  selftest: ['net_ctrl_off', 'ota', 'critical_line'],
  time_sync: ['net_ctrl_off', 'ota'],
  read: [],
};
const expectedOf = (way: Way, reason: Reason): 'goes out' | 'refused' => {
  if (reason === 'moved') return way.asksBefore ? 'refused' : 'goes out';
  return always.includes(reason) || refusing[way.verb].includes(reason) ? 'refused' : 'goes out';
};

const reasons: readonly Reason[] = ['foreign', ...guardReasons];
const commandsOf = (place: Place) =>
  world.db.selectFrom('commands').select('id').where('device_id', '=', place.device.id).execute();
const publishedTo = (place: Place, { verb }: Way) =>
  world.link.published.filter(
    ({ deviceNumber, command }) => deviceNumber === place.device.number && command.cmd === verb,
  );
const placeFor = ({ verb }: Way) => makePlace(world, project, verb === 'close' ? 0 : 1);

describe.each(Object.entries(ways))('%s', (name, way) => {
  const cells = reasons.filter((reason) => impossible[name]?.[reason] === undefined);

  test('the command is sent if nothing forbids it', async () => {
    const place = await placeFor(way);
    expect(await (await way.prepare(place))({})).toMatchObject({ fault: null });
    await eventually(async () => publishedTo(place, way).length === 1);
    const [row] = await world.db
      .selectFrom('commands')
      .select(['cause', 'verb'])
      .where('device_id', '=', place.device.id)
      .execute();
    expect(row).toEqual({ cause: way.cause, verb: way.verb });
  });

  test.each(cells.map((reason) => [expectedOf(way, reason), reason] as const))(
    'gives the result “%s” under the interlock %s',
    async (expected, reason) => {
      const place = await placeFor(way);
      const attempt = await way.prepare(place);
      await interlocks[reason].holds(place);
      const before = await commandsOf(place);
      const result = await attempt(interlocks[reason].says ?? {});
      if (expected === 'goes out') {
        expect(result.fault).toBeNull();
        await eventually(async () => publishedTo(place, way).length === 1);
        return;
      }
      const fault = saysInstead[name]?.[reason] ?? interlocks[reason].fault;
      expect(result.fault).toBe(fault);
      if (reason === 'busy') expect(result.words).toContain('boris');
      await world.control.settled();
      expect(publishedTo(place, way)).toEqual([]);
      expect(await commandsOf(place)).toEqual(before);
      // An error in the call itself is marked at its field and is not a refusal.
      if (interlocks[reason].says) return;
      const logged = await world.db
        .selectFrom('operation_log')
        .select(['operator', 'outcome', 'parameters'])
        .where((eb) =>
          eb.or([eb('user_id', '=', place.caller.userId), eb('device_id', '=', place.device.id)]),
        )
        .where('key', '=', way.log)
        .where('outcome', '=', 'refused')
        .execute();
      expect(logged).toHaveLength(1);
      expect(JSON.stringify(logged[0]!.parameters)).toContain(fault);
    },
  );
});

/** Conditions that cannot begin between the decision about a close and its sending, each with the reason. */
const cannotBegin: Partial<Record<Reason, string>> = {
  line_needed: 'The command names its line',
  bad_param: 'The parameters are those that were accepted',
  password_needed: 'It was given when the close was asked for',
  busy: 'The close itself is in flight, and keeps others away',
};
const beginsMeanwhile = reasons.filter((reason) => cannotBegin[reason] === undefined);
const closing = Object.entries(ways).filter(([, way]) => way.verb === 'close');
describe.each(closing)('%s, while it waits to be sent', (_name, way) => {
  const forbidding = beginsMeanwhile.filter(
    (reason) => reason === 'moved' || expectedOf(way, reason) === 'refused',
  );
  test.each(forbidding)('the command is not sent: %s', async (reason) => {
    const place = await placeFor(way);
    const attempt = await way.prepare(place);
    const turn = Promise.withResolvers<void>();
    world.link.trouble = () => turn.promise;
    const first = await place.caller.call('/device_do/device_do', {
      device_id: place.device.id,
      action: 'read',
    });
    expect(first.status).toBe(200);
    expect(await attempt({})).toMatchObject({ fault: null });
    const written = () =>
      world.db
        .selectFrom('commands')
        .select(['state', 'reason', 'sent_at'])
        .where('device_id', '=', place.device.id)
        .where('verb', '=', way.verb)
        .executeTakeFirst();
    expect(await eventually(written)).toMatchObject({ state: 'created' });
    await interlocks[reason].holds(place);
    world.link.trouble = null;
    turn.resolve();
    await world.control.settled();
    expect(publishedTo(place, way)).toEqual([]);
    const result = reason === 'foreign' ? 'denied' : reason;
    expect(await written()).toEqual({ state: 'failed', reason: result, sent_at: null });
  });
});

describe('the matrix', () => {
  test('the matrix has a row for each cause of a command', () => {
    expect([...new Set(Object.values(ways).map((way) => way.cause))].sort()).toEqual(
      [...commandCauses].sort(),
    );
  });

  test('the matrix has an interlock for each reason of the guard', () => {
    expect(Object.keys(interlocks).sort()).toEqual([...reasons].sort());
  });

  test('the matrix has a row for each file that calls the guard', async () => {
    const asking: string[] = [];
    for await (const file of glob('server/**/*.ts'))
      if (
        !file.startsWith('server/control/request') &&
        !file.endsWith('.test.ts') &&
        /\b(control|guard)\s*\.(request|requestMany)\(|requestCommands?\(/.test(await readFile(file, 'utf8'))
      )
        asking.push(file);
    const known = Object.values(ways).map((way) => way.caller);
    expect(asking.sort()).toEqual([...new Set([...known, 'server/control/commands.ts'])].sort());
  });
});
