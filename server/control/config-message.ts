import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { customHazard, enableHazard, type Hazard, parameterHazard, timerHazard } from '#contract/hazards.ts';
import type { CfgMessage, CfgSetMessage, CommandVerb } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { accountsOf } from '#server/core/account.ts';
import type { Events } from '#server/core/bus.ts';
import { createClockSteps } from '#server/core/clock-steps.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import type { DeviceLink } from '#server/core/group.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { repeated } from '#server/core/repeated.ts';
import { holdDirectory, holdReports } from './facts.ts';
import { tripsOfDevice, uninspectedTrips } from './inspections.ts';
import { handOverTurns, steppedMs, withinTurns } from './publish.ts';
import { isLineLocked, remoteControlOff } from './remote-control.ts';
import { openStates } from './states.ts';

export type ConfigContent = Omit<CfgSetMessage, 'v' | 'id' | 'exp' | 'base'>;
/** Purposes of a configuration: another purpose is another way to a device. */
export const configPurposes = ['settings', 'timers'] as const;
export type ConfigPurpose = (typeof configPurposes)[number];
/**
 * Why a configuration cannot be sent now; `busy`: another is under way, `unreported`: the device has not
 * reported its settings yet.
 */
export const configRefusals = [
  'missing',
  'unbound',
  'offline',
  'unreported',
  'ota',
  'stale',
  'net_ctrl_off',
  'locked',
  'tagged',
  'uninspected',
  'busy',
] as const;
export type ConfigRefusal = (typeof configRefusals)[number];
export interface ConfigFacts {
  bound: boolean;
  online: boolean;
  /** False: remote control is disabled here, or a line reports that it is locked at the device. */
  netCtrl: boolean;
  updating: boolean;
  /** Nobody knows the device's clock. */
  stale: boolean;
  /** Numbers of the lines that report a local lock or a maintenance lock. */
  locked: readonly number[];
  tagged: boolean;
  /** Numbers of the lines that tripped and await an inspection. */
  uninspected: readonly number[];
  inFlight: boolean;
  /** Revision of the device's last report; null: none yet. */
  base: number | null;
  /** The device's last report; null: none yet. */
  reported: Report | null;
}
type ConfigSent =
  | { sent: true; id: string; base: number; expiresAt: number }
  | { sent: false; reason: ConfigRefusal | 'nothing' };
interface Composed {
  content: ConfigContent;
  /** The users who asked for it. */
  authorIds: readonly number[];
  /** Whether the device should still get it, by the authors' present rights; asked when it is handed over. */
  isCurrent(trx: Db): Promise<boolean>;
}
/** Builds the content, in the transaction that has locked the device's row; null: nothing to send. */
type Compose = (trx: Db, about: { id: string; facts: ConfigFacts }) => Promise<Composed | null>;

export interface ConfigSender {
  start(): void;
  stop(): Promise<void>;
  /** Sends one configuration if the guard allows it: at most one at a time is under way to a device. */
  send(deviceId: number, purpose: ConfigPurpose, compose: Compose): Promise<ConfigSent>;
}
interface ConfigSenderDeps extends CoreDeps {
  link: Pick<DeviceLink, 'publishConfig'>;
}

/**
 * How long the server waits for an answer; the device itself accepts a harmless message slightly longer, by its own
 * clock.
 */
export const answerMs = 60_000;
const deviceMs = 120_000;

type Report = Pick<CfgMessage, 'p' | 'en' | 'timers'>;
/** A configuration whose row is committed. */
interface Claimed {
  id: string;
  base: number;
  expiresAt: number;
  number: string;
  message: CfgSetMessage;
  composed: Composed;
  isHazardous: boolean;
}

interface HazardOfLine {
  hazard: Hazard | null;
  /** The line concerned; null: every line of the device. */
  n: number | null;
  /** The device reports that it runs this timer already. */
  runs?: boolean;
}
/** The effect of each part of a configuration on the safety of lines, compared with the reported `before`. */
const hazardsOf = ({ p, en, timers }: ConfigContent, before: Report | null): HazardOfLine[] => [
  ...Object.entries(p ?? {}).flatMap(([place, values]) =>
    Object.entries(values).map(([key, value]) => ({
      n: place === 'dev' ? null : Number(place),
      hazard:
        place === 'dev' && key === 'x' ? customHazard : parameterHazard(key, before?.p[place]?.[key], value),
    })),
  ),
  ...Object.entries(en ?? {}).map(([key, value]) => ({
    n: null,
    hazard: enableHazard(key, before?.en?.[key], value),
  })),
  ...(timers ?? []).map((timer) => ({
    n: timer.n,
    hazard: timerHazard(timer),
    runs: before?.timers?.some((own) => isDeepStrictEqual(own, timer)) === true,
  })),
];

/**
 * Whether a configuration may be sent now. What may close a line or weaken its protection is refused like a
 * close; everything else goes out also while remote control is disabled or a lock-out tag is active, because
 * it takes closing away, makes a limit stricter or changes nothing that matters. Decisions 0058, 0475 and
 * 0547.
 */
export const decideConfig = (facts: ConfigFacts, content: ConfigContent): ConfigRefusal | null => {
  if (!facts.bound) return 'unbound';
  if (!facts.online) return 'offline';
  if (facts.base === null) return 'unreported';
  if (facts.updating) return 'ota';
  const hazards = hazardsOf(content, facts.reported).filter(({ hazard }) => hazard !== null);
  // Nobody could say until when the device would obey. What it runs already does not hold back what is taken away.
  if (facts.stale && hazards.some(({ runs }) => !runs)) return 'stale';
  if (hazards.length > 0 && !facts.netCtrl) return 'net_ctrl_off';
  const closing = hazards.filter(({ hazard }) => hazard === 'closes');
  const mayCloseOneOf = (lines: readonly number[]) =>
    lines.some((line) => closing.some(({ n }) => n === null || n === line));
  if (mayCloseOneOf(facts.locked)) return 'locked';
  if (hazards.length > 0 && facts.tagged) return 'tagged';
  if (mayCloseOneOf(facts.uninspected)) return 'uninspected';
  return facts.inFlight ? 'busy' : null;
};

/** Numbers of the device's lines that report a local lock or a maintenance lock. */
const lockedLines = async (db: Db, deviceId: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('lines')
    .innerJoin('line_latest', 'line_latest.line_id', 'lines.id')
    .select('lines.n')
    .where('lines.device_id', '=', deviceId)
    .where(isLineLocked('line_latest'))
    .execute();
  return rows.map(({ n }) => n);
};

const underWay = (db: Db, deviceId: number, verb: CommandVerb) =>
  db
    .selectFrom('commands')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('verb', '=', verb)
    .where('state', 'in', openStates);

/** What the device is to the server now, as far as it changes with each contact. */
const stateOf = (db: Db, deviceId: number) =>
  db
    .selectFrom('devices')
    .leftJoin('device_state', 'device_state.device_id', 'devices.id')
    .select([
      'device_state.online',
      'device_state.clock_ms',
      'device_state.clock_behind_ms',
      'device_state.clock_unknown',
      'device_state.clock_awaited',
      remoteControlOff('devices').as('remote_off'),
    ])
    .where('devices.id', '=', deviceId)
    .executeTakeFirstOrThrow();

/**
 * The facts about a device; with `lock` its row is locked until the transaction ends. Null: no such device.
 * The message `besides` does not count as under way. `clockStepped`: the server's clock was set just now, and the
 * database does not show it yet.
 */
export const configFacts = async (
  db: Db,
  deviceId: number,
  now: number,
  {
    lock,
    besides = null,
    clockStepped = false,
  }: { lock: boolean; besides?: string | null; clockStepped?: boolean },
): Promise<(ConfigFacts & { number: string; skewMs: number; behindMs: number }) | null> => {
  const own = db
    .selectFrom('devices')
    .select(['id', 'number', 'project_id'])
    .where('id', '=', deviceId)
    .where(notDeleted('devices'));
  const device = await (lock ? own.forNoKeyUpdate() : own).executeTakeFirst();
  if (!device) return null;
  const at = new Date(now);
  const state = await stateOf(db, deviceId);
  const about = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('projects')
        .select('id')
        .where('id', '=', device.project_id)
        .where(notDeleted('projects'))
        .as('project'),
      eb
        .selectFrom('device_reported')
        .select('payload')
        .where('device_id', '=', deviceId)
        .where('kind', '=', 'cfg')
        .as('reported'),
      eb.exists(underWay(db, deviceId, 'ota')).as('updating'),
      eb.exists(underWay(db, deviceId, 'time_sync')).as('setting_clock'),
      eb.exists(eb.selectFrom('active_tags').select('tag_id').where('device_id', '=', deviceId)).as('tagged'),
      eb
        .exists(
          eb
            .selectFrom('config_messages')
            .select('id')
            .where('device_id', '=', deviceId)
            .where('state', '=', 'sent')
            .where('expires_at', '>', at)
            .where(sql<boolean>`id is distinct from ${besides}::uuid`),
        )
        .as('in_flight'),
    ])
    .executeTakeFirstOrThrow();
  const rev = about.reported?.['rev'];
  const uninspected = await uninspectedTrips(db, tripsOfDevice(deviceId));
  const locked = await lockedLines(db, deviceId);
  return {
    number: device.number,
    bound: about.project !== null,
    online: state.online ?? false,
    netCtrl: !state.remote_off,
    updating: Boolean(about.updating),
    stale: [clockStepped, state.clock_unknown, state.clock_awaited, about.setting_clock].some(Boolean),
    locked,
    tagged: Boolean(about.tagged),
    uninspected: uninspected.map(({ n }) => n),
    inFlight: Boolean(about.in_flight),
    base: typeof rev === 'number' ? rev : null,
    reported: (about.reported as Report | null | undefined) ?? null,
    skewMs: state.clock_ms ?? 0,
    behindMs: state.clock_behind_ms ?? 0,
  };
};

/** The only way to a device's configuration topic, for settings and timers alike. */
export const createConfigSender = ({ db, bus, clock, link, log }: ConfigSenderDeps): ConfigSender => {
  const settling = new Map<number, Promise<void>>();
  const steps = createClockSteps(clock);
  const stepped = (): boolean => steps.backWithin(steppedMs) !== null;
  let leave = () => {};

  const settle = ({ deviceId, config }: Events['device.config']): void => {
    const { id, st, why } = config;
    if (id === undefined || st === undefined) return;
    const done: Promise<void> = db
      .updateTable('config_messages')
      .set({ state: st, reason: why ?? null, ended_at: new Date(clock.now()) })
      .where(({ eb, cast, ref }) => eb(cast<string>(ref('id'), 'text'), '=', id.toLowerCase()))
      .where('device_id', '=', deviceId)
      .where('state', 'in', ['sent', 'expired', 'undelivered'])
      .execute()
      .then(() => {})
      .catch((error: unknown) => log.error({ err: error }, 'the answer to a configuration was not noted'))
      .finally(() => {
        if (settling.get(deviceId) === done) settling.delete(deviceId);
      });
    settling.set(deviceId, done);
  };

  const claim = (
    deviceId: number,
    purpose: ConfigPurpose,
    compose: Compose,
  ): Promise<Claimed | { reason: ConfigRefusal | 'nothing' }> =>
    db.transaction().execute(async (trx) => {
      const now = clock.now();
      const facts = await configFacts(trx, deviceId, now, { lock: true, clockStepped: stepped() });
      if (!facts) return { reason: 'missing' as const };
      const { number, skewMs, behindMs, ...known } = facts;
      const id = randomUUID();
      // The content is not composed if the guard would refuse any content.
      const hopeless = decideConfig(known, {});
      if (hopeless) return { reason: hopeless };
      const composed = await compose(trx, { id, facts: known });
      if (!composed) return { reason: 'nothing' as const };
      const { content } = composed;
      const refused = decideConfig(known, content);
      if (refused) return { reason: refused };
      const base = known.base!;
      const expiresAt = now + answerMs;
      await trx
        .updateTable('config_messages')
        .set({ state: 'expired', ended_at: new Date(now) })
        .where('device_id', '=', deviceId)
        .where('state', '=', 'sent')
        .execute();
      await trx
        .insertInto('config_messages')
        .values({
          id,
          device_id: deviceId,
          purpose,
          base,
          content: JSON.stringify(content),
          state: 'sent',
          reason: null,
          sent_at: new Date(now),
          expires_at: new Date(expiresAt),
          ended_at: null,
        })
        .execute();
      const isHazardous = hazardsOf(content, known.reported).some(({ hazard }) => hazard !== null);
      // By the clock of the device. What is harmless may also come late.
      const exp = isHazardous ? expiresAt - behindMs : now + deviceMs + Math.abs(skewMs);
      const message: CfgSetMessage = { v: 1, id, exp, base, ...content };
      return { id, base, expiresAt, number, message, composed, isHazardous };
    });

  /**
   * Gives a configuration that may close a line or weaken its protection to the link, after deciding again, as
   * the hand-over of commands does (decision 0054): facts are locked from before they are read until the message
   * is sent. Null: it is on its way.
   */
  const handOver = (deviceId: number, claimed: Claimed, give: () => Promise<void>) =>
    db.transaction().execute(async (trx): Promise<ConfigRefusal | null> => {
      const { id, composed } = claimed;
      await accountsOf(trx, composed.authorIds, { hold: true });
      await holdDirectory(trx, [deviceId]);
      await holdReports(trx, [deviceId]);
      const facts = await configFacts(trx, deviceId, clock.now(), {
        ...{ lock: false, besides: id, clockStepped: stepped() },
      });
      const refused = facts ? decideConfig(facts, composed.content) : 'missing';
      if (refused) return refused;
      if (!(await composed.isCurrent(trx))) return 'busy';
      await withinTurns(
        give().catch(() => {}),
        handOverTurns,
      );
      return null;
    });

  return {
    start() {
      leave = bus.on('device.config', settle);
    },
    async stop() {
      leave();
      await Promise.all(settling.values());
    },
    async send(deviceId, purpose, compose) {
      await settling.get(deviceId);
      const claimed = await claim(deviceId, purpose, compose);
      if ('reason' in claimed) return { sent: false, reason: claimed.reason };
      const { id, base, expiresAt, number, message, isHazardous } = claimed;
      let giving: Promise<void> | null = null;
      const give = () => (giving = link.publishConfig(number, message));
      const undelivered = async (reason: ConfigRefusal): Promise<ConfigSent> => {
        await db
          .updateTable('config_messages')
          .set({ state: 'undelivered', ended_at: new Date(clock.now()) })
          .where('id', '=', id)
          .where('state', '=', 'sent')
          .execute();
        return { sent: false, reason };
      };
      if (isHazardous) {
        const refused = await repeated(() =>
          giving ? Promise.resolve(null) : handOver(deviceId, claimed, give),
        );
        if (refused) return undelivered(refused);
      }
      try {
        await (giving ?? give());
      } catch {
        // Publishing failed. The message carries desired state, so a late delivery is harmless.
        return undelivered('offline');
      }
      return { sent: true, id, base, expiresAt };
    },
  };
};
