import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CfgMessage } from '#contract/telemetry.ts';
import { reasonSentence } from '#server/core/reason.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import { createDeviceJobs } from '#server/device-jobs/run.ts';
import { settingsAct } from '#server/device-settings/jobs.ts';
import { deviceActs } from '#server/devices/acts.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { createRollouts } from '#server/firmware/worker.ts';
import { makeProject, makeTag, makeUser } from './factories.ts';
import { goesOffline, shows } from './interlocks.ts';
import { makeRollout } from './rollouts.ts';
import { makeSwitch, type Switch } from './switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from './switching-world.ts';
import { becomes, eventually } from './wait.ts';
import type { Client } from './world.ts';

/**
 * What was withdrawn between the moment in which something was asked for and the moment in which the device would get
 * it. One-key has its own table in server/one-key/one-key.test.ts.
 */
let world: SwitchingWorld;
beforeAll(async () => {
  world = await createSwitchingWorld();
});
afterAll(() => world.close());

interface Place {
  world: SwitchingWorld;
  project: number;
  device: Switch;
  position: 0 | 1;
  caller: Client;
  /** The user who asks. */
  userId: number;
  roleId: number;
}
let serial = 1_000;
const makePlace = async (): Promise<Place> => {
  world.clock.advance(10_000); // calls are rate-limited
  const project = (await makeProject(world.db)).id;
  const user = await makeUser(world.db, {
    ...{ role: ++serial, letters: 'ABCDEFGHIJKLMN', projects: [{ id: project }] },
  });
  const device = await makeSwitch(world, project);
  const caller = await world.as(user.id);
  const place: Place = {
    ...{ world, project, device, position: 0, caller, userId: user.id, roleId: user.role_id },
  };
  await shows(place);
  const config: CfgMessage = {
    ...{ v: 1, rev: 17, timers: [], en: { auto_reclose: false } },
    p: { 1: { ov_trip: 275 }, dev: { ar_n: 3 } },
  };
  await world.db
    .insertInto('device_reported')
    .values({
      ...{ device_id: device.id, kind: 'cfg', received_at: new Date(world.clock.now()) },
      payload: JSON.stringify(config),
    })
    .execute();
  world.bus.emit('device.config', { deviceId: device.id, config });
  const known = () =>
    world.db
      .selectFrom('device_settings')
      .select('reported_rev')
      .where('device_id', '=', device.id)
      .executeTakeFirst();
  await eventually(async () => (await known())?.reported_rev === 17);
  return place;
};

/** Where the act stands, and why. */
interface Standing {
  state: string;
  reason: string;
}
interface Path {
  /** Asks for it, up to the moment in which it waits for its turn. */
  ask(place: Place): Promise<number | string | null>;
  /** Its turn comes; returns what ends it afterwards. */
  turn(place: Place, asked: number | string | null): Promise<() => Promise<void>>;
  /** Where it stands, if it ended or says why it waits. */
  stands(place: Place, asked: number | string | null): Promise<Standing | null>;
}
const zoneMs = 8 * 3_600_000; // Asia/Shanghai
const said = (state: string, reason: string | null | undefined): Standing | null =>
  reason ? { state, reason } : null;

const timer: Path = {
  async ask({ device, caller }) {
    const at = (Math.ceil(world.clock.now() / 60_000) + 1) * 60_000;
    const local = new Date(at + zoneMs).toISOString();
    const added = await caller.call('/device_timing/add_device_timing', {
      ...{ line_id: device.line.id, type: 'once', action: 'close' },
      ...{ date: local.slice(0, 10), time: local.slice(11, 16) },
    });
    expect(added, added.msg).toMatchObject({ status: 200 });
    world.clock.set(at - 100);
    return added.data.timer_id;
  },
  async turn(place) {
    await heard(place);
    world.clock.advance(100);
    return async () => {};
  },
  async stands(_place, timerId) {
    const run = await world.db
      .selectFrom('timer_runs')
      .leftJoin('commands', 'commands.id', 'timer_runs.command_id')
      .select(['outcome', 'timer_runs.reason', 'commands.state', 'commands.reason as failed'])
      .where('timer_id', '=', Number(timerId))
      .where('outcome', '<>', 'due')
      .executeTakeFirst();
    if (run?.outcome === 'fired') return run.state === 'failed' ? said('fired', run.failed) : null;
    return run ? said(run.outcome, run.reason) : null;
  },
};
/** A setting that waits for its device. */
const setting = (given: { key: string; n?: number; value: number }): Path => ({
  async ask(place) {
    await goesOffline(place);
    const asked = await place.caller.call('/device/device_set', {
      ...{ device_id: place.device.id, settings: [given] },
    });
    expect(asked, asked.msg).toMatchObject({ status: 200 });
    await becomes(async () => (await wish(place))?.reason, 'offline');
    return null;
  },
  async turn(place) {
    await heard(place);
    world.bus.emit('device.online', {
      ...{ deviceId: place.device.id, online: true, at: world.clock.now(), why: 'test' },
    });
    return async () => {};
  },
  async stands(place) {
    world.clock.advance(1_000);
    const now = await wish(place);
    return now?.reason === 'offline' || now?.reason === 'busy' ? null : said(now!.state, now!.reason);
  },
});
const weaker = { key: 'ov_trip', n: 1, value: 280 };
/** The settings of many devices: one of them waits in the queue. */
const job: Path = {
  async ask({ device, userId }) {
    return jobStore(world.db).create({
      ...{ kind: 'settings', by: { userId, username: 'anna' }, now: world.clock.now(), parameters: [weaker] },
      rows: [{ deviceId: device.id, state: 'queued', reason: null }],
    });
  },
  async turn(place) {
    await heard(place);
    const { db, bus, clock } = world;
    const acts = { ...deviceActs, settings: settingsAct };
    const jobs = createDeviceJobs({ db, bus, clock, acts, log: pino({ level: 'silent' }) });
    jobs.start();
    return () => jobs.stop();
  },
  async stands(place, jobId) {
    const row = await world.db
      .selectFrom('device_job_rows')
      .select(['state', 'reason'])
      .where('job_id', '=', String(jobId))
      .executeTakeFirstOrThrow();
    if (row.state === 'queued') return null;
    world.clock.advance(1_000);
    const why = row.reason ?? (row.state === 'waiting' ? (await wish(place))?.reason : null);
    return why === 'busy' ? null : said(row.state, why);
  },
};
const rollout: Path = {
  ask: ({ device, userId }) =>
    makeRollout(world.db, { deviceIds: [device.id], authorId: userId, type: 3, to: `9.${device.id}` }),
  async turn(place, rolloutId) {
    await heard(place);
    const { db, bus, clock, control } = world;
    const rollouts = createRollouts({
      ...{ db, bus, clock, control, log: pino({ level: 'silent' }) },
      addressOf: addressesBelow('https://ampwatch.example'),
    });
    rollouts.start();
    return async () => {
      await rollouts.stop();
      await db
        .updateTable('rollouts')
        .set({ state: 'stopped' })
        .where('id', '=', Number(rolloutId))
        .execute();
    };
  },
  async stands(_place, rolloutId) {
    const row = await world.db
      .selectFrom('rollouts')
      .innerJoin('rollout_devices', 'rollout_devices.rollout_id', 'rollouts.id')
      .select([
        'rollouts.state',
        'rollouts.reason',
        'rollout_devices.state as at',
        'rollout_devices.reason as why',
      ])
      .where('rollouts.id', '=', Number(rolloutId))
      .executeTakeFirstOrThrow();
    return said(row.state, row.reason) ?? said(row.at, row.why);
  },
};
const paths = {
  'a run of a timer that closes': timer,
  'a waiting setting that weakens a protection': setting(weaker),
  'a waiting setting that may close a line': setting({ key: 'ar_n', value: 5 }),
  'a queued job of settings': job,
  'a rollout of firmware': rollout,
} satisfies Record<string, Path>;

const wish = ({ device }: Place) =>
  world.db
    .selectFrom('device_desired')
    .select(['state', 'reason'])
    .where('device_id', '=', device.id)
    .executeTakeFirst();
/** The device is there, and reported just now. */
const heard = async (place: Place) => {
  await world.db
    .updateTable('device_state')
    .set({ online: true, last_seen: new Date(world.clock.now()) })
    .where('device_id', '=', place.device.id)
    .execute();
  await shows(place);
};
/** What reached the device and may close a line or weaken its protection. */
const reached = ({ device: { number } }: Place) => [
  ...world.configs.filter(({ deviceNumber }) => deviceNumber === number),
  ...world.link.published.filter(({ deviceNumber }) => deviceNumber === number),
];

type Run = (text: string, values?: readonly unknown[]) => Promise<unknown>;
/** By path: timer, setting, job, rollout. */
type Ends = readonly [timer: string, setting: string, job: string, rollout: string];
interface Withdrawal {
  withdraw(place: Place, run: Run): Promise<unknown>;
  ends: Ends;
}
const now = () => new Date(world.clock.now());
const ofAuthor: Ends = [
  'skipped timer.author',
  'rejected denied',
  'denied permission.denied',
  'paused firmware.author',
];
const ofPlace: Ends = [
  'skipped timer.author',
  'rejected denied',
  'denied device.missing',
  'skipped device.missing',
];
const withdrawals: Record<string, Withdrawal> = {
  'the user is disabled': {
    withdraw: ({ userId }, run) => run('update users set enabled = false where id = $1', [userId]),
    ends: ofAuthor,
  },
  'the user is deleted': {
    withdraw: ({ userId }, run) => run('update users set deleted_at = $2 where id = $1', [userId, now()]),
    ends: ofAuthor,
  },
  "the user's role is disabled": {
    withdraw: ({ roleId }, run) => run('update roles set enabled = false where id = $1', [roleId]),
    ends: ofAuthor,
  },
  "the user's role loses its letters": {
    withdraw: ({ roleId }, run) => run("update roles set letters = 'A' where id = $1", [roleId]),
    ends: ofAuthor,
  },
  'the user keeps another part only': {
    withdraw: ({ userId }, run) =>
      run('update user_projects set part_ids = array[2000000000] where user_id = $1', [userId]),
    ends: ofPlace,
  },
  'the user loses the project': {
    withdraw: ({ userId }, run) => run('delete from user_projects where user_id = $1', [userId]),
    ends: ofPlace,
  },
  'the project is deleted': {
    withdraw: ({ project }, run) =>
      run('update projects set deleted_at = $2 where id = $1', [project, now()]),
    ends: ['skipped timer.author', 'pending unbound', 'waiting unbound', 'skipped device.missing'],
  },
  'the device leaves its project': {
    withdraw: ({ device }, run) => run('update devices set project_id = null where id = $1', [device.id]),
    ends: ['missed control.unbound', 'pending unbound', 'denied device.missing', 'skipped device.missing'],
  },
  'the device moves to another project of the user': {
    async withdraw({ device, userId }, run) {
      const other = (await makeProject(world.db)).id;
      await run('insert into user_projects (user_id, project_id, part_ids) values ($1, $2, $3)', [
        ...[userId, other, []],
      ]);
      await run('update devices set project_id = $2 where id = $1', [device.id, other]);
    },
    ends: ['skipped control.moved', 'rejected moved', 'skipped control.moved', 'skipped control.moved'],
  },
  'remote control is disabled': {
    withdraw: ({ device }, run) => run('update devices set net_ctrl = false where id = $1', [device.id]),
    ends: [
      'skipped control.net_ctrl_off',
      'pending net_ctrl_off',
      'waiting net_ctrl_off',
      'waiting control.net_ctrl_off',
    ],
  },
  'the device gets a lock-out tag': {
    async withdraw({ device }) {
      const owner = (await makeUser(world.db, { role: 1 })).id;
      await makeTag(world.db, { device_id: device.id }, { owner, at: world.clock.now(), reason: 'Work' });
    },
    ends: ['skipped control.tagged', 'pending tagged', 'skipped control.tagged', 'waiting control.tagged'],
  },
  'the project gets a lock-out tag': {
    async withdraw({ project }) {
      const owner = (await makeUser(world.db, { role: 1 })).id;
      await makeTag(world.db, { project_id: project }, { owner, at: world.clock.now(), reason: 'Work' });
    },
    ends: ['skipped control.tagged', 'pending tagged', 'skipped control.tagged', 'waiting control.tagged'],
  },
  'the device gets a new secret and has not reported since': {
    withdraw: ({ device }, run) =>
      run('update device_state set clock_unknown = true where device_id = $1', [device.id]),
    ends: ['missed control.stale', 'pending stale', 'waiting stale', 'waiting control.stale'],
  },
};
const column: Record<keyof typeof paths, 0 | 1 | 2 | 3> = {
  'a run of a timer that closes': 0,
  'a waiting setting that weakens a protection': 1,
  'a waiting setting that may close a line': 1,
  'a queued job of settings': 2,
  'a rollout of firmware': 3,
};
const canBeSaid = ({ reason }: Standing) => {
  for (const language of ['zh-CN', 'en-US', 'ru-RU'] as const)
    expect(reasonSentence(reason, language)).not.toBe(reason);
};

describe.each(Object.keys(paths) as (keyof typeof paths)[])('%s', (name) => {
  const path: Path = paths[name];
  const cases = Object.entries(withdrawals);

  test('it reaches the device if nothing was withdrawn', async () => {
    const place = await makePlace();
    const asked = await path.ask(place);
    const end = await path.turn(place, asked);
    await eventually(async () => {
      await path.stands(place, asked);
      return reached(place).length === 1;
    });
    await end();
  });

  test.each(cases)('nothing reaches the device if %s before its turn', async (_what, { withdraw, ends }) => {
    const place = await makePlace();
    const asked = await path.ask(place);
    await withdraw(place, (text, values) => world.pool.query(text, values && [...values]));
    const end = await path.turn(place, asked);
    const standing = await eventually(() => path.stands(place, asked));
    await end();
    expect(`${standing.state} ${standing.reason}`).toBe(ends[column[name]]);
    canBeSaid(standing);
    expect(reached(place)).toEqual([]);
  });

  test.each(cases)('nothing reaches the device if %s in the last moment', async (_what, { withdraw }) => {
    const place = await makePlace();
    const asked = await path.ask(place);
    // The hand-over locks the author's account: it waits here.
    const gate = await world.pool.connect();
    await gate.query('begin');
    await gate.query('select from users where id = $1 for no key update', [place.userId]);
    const end = await path.turn(place, asked);
    const claimed = async () => {
      const { rows } = await world.pool.query(
        `select from commands where device_id = $1 and sent_at is not null
         union all select from config_messages where device_id = $1 and state = 'sent'`,
        [place.device.id],
      );
      if (rows.length === 0) await path.stands(place, asked);
      return rows.length > 0;
    };
    await eventually(claimed);
    await withdraw(place, (text, values) => gate.query(text, values && [...values]));
    await gate.query('commit');
    gate.release();
    const standing = await eventually(() => path.stands(place, asked));
    await end();
    canBeSaid(standing);
    expect(reached(place)).toEqual([]);
  });
});
