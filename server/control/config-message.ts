import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  customHazard,
  enableHazard,
  graverOf,
  type Hazard,
  parameterHazard,
  timerHazard,
} from '#contract/hazards.ts';
import type { CfgMessage, CfgSetMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { Bus, Events } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { DeviceLink } from '#server/core/group.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
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
  'net_ctrl_off',
  'tagged',
  'busy',
] as const;
export type ConfigRefusal = (typeof configRefusals)[number];
export interface ConfigFacts {
  bound: boolean;
  online: boolean;
  netCtrl: boolean;
  updating: boolean;
  tagged: boolean;
  inFlight: boolean;
  /** Revision of the device's last report; null: none yet. */
  base: number | null;
  /** The device's last report; null: none yet. */
  reported: Report | null;
}
export type ConfigSent =
  | { sent: true; id: string; base: number; expiresAt: number }
  | { sent: false; reason: ConfigRefusal | 'nothing' };
/** Builds the content, in the transaction that has locked the device's row; null: nothing to send. */
export type Compose = (trx: Db, about: { id: string; facts: ConfigFacts }) => Promise<ConfigContent | null>;

export interface ConfigSender {
  start(): void;
  stop(): Promise<void>;
  /** Sends one configuration if the guard allows it: at most one at a time is under way to a device. */
  send(deviceId: number, purpose: ConfigPurpose, compose: Compose): Promise<ConfigSent>;
}
export interface ConfigSenderDeps {
  db: Db;
  bus: Bus;
  clock: Clock;
  link: Pick<DeviceLink, 'publishConfig'>;
  log: Logger;
}

/**
 * How long the server waits for an answer; the device itself accepts the message slightly longer, by its own
 * clock.
 */
export const answerMs = 60_000;
const deviceMs = 120_000;

type Report = Pick<CfgMessage, 'p' | 'en'>;

/** The effect of a configuration on the safety of a device's lines, compared with the reported `before`. */
const hazardOfConfig = ({ p, en, timers }: ConfigContent, before: Report | null): Hazard | null =>
  graverOf([
    ...Object.entries(p ?? {}).flatMap(([place, values]) =>
      Object.entries(values).map(([key, value]) =>
        place === 'dev' && key === 'x' ? customHazard : parameterHazard(key, before?.p[place]?.[key], value),
      ),
    ),
    ...Object.entries(en ?? {}).map(([key, value]) => enableHazard(key, before?.en?.[key], value)),
    ...(timers ?? []).map(timerHazard),
  ]);

const onlyEnable = (name: string, { en, ...rest }: ConfigContent): boolean =>
  Object.keys(rest).length === 0 && en !== undefined && Object.keys(en).every((key) => key === name);

/**
 * Whether the configuration only removes automatic closing from the device, which a tag permits: timers
 * without a closing one, or auto-reclose off.
 */
const restsClosing = (content: ConfigContent, before: Report | null): boolean =>
  hazardOfConfig(content, before) === null &&
  (onlyEnable('auto_reclose', content) ||
    (content.timers !== undefined && content.p === undefined && content.en === undefined));

/**
 * Whether a configuration may be sent now. The same facts that refuse a command refuse it, with two
 * exceptions: remote control itself may be changed while it is disabled, and automatic closing may be
 * disabled under a lock-out tag. Decision 0058.
 */
export const decideConfig = (facts: ConfigFacts, content: ConfigContent): ConfigRefusal | null => {
  if (!facts.bound) return 'unbound';
  if (!facts.online) return 'offline';
  if (facts.base === null) return 'unreported';
  if (facts.updating) return 'ota';
  const mayPassDisabled =
    onlyEnable('net_ctrl', content) || (facts.tagged && restsClosing(content, facts.reported));
  if (!facts.netCtrl && !mayPassDisabled) return 'net_ctrl_off';
  if (facts.tagged && hazardOfConfig(content, facts.reported) !== null) return 'tagged';
  return facts.inFlight ? 'busy' : null;
};

/**
 * The facts about a device; with `lock` its row is locked until the transaction ends. Null: no such device.
 */
export const configFacts = async (
  db: Db,
  deviceId: number,
  now: number,
  lock: boolean,
): Promise<(ConfigFacts & { number: string; skewMs: number }) | null> => {
  const own = db
    .selectFrom('devices')
    .select(['id', 'number', 'net_ctrl', 'project_id'])
    .where('id', '=', deviceId)
    .where(notDeleted('devices'));
  const device = await (lock ? own.forNoKeyUpdate() : own).executeTakeFirst();
  if (!device) return null;
  const at = new Date(now);
  const about = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('projects')
        .select('id')
        .where('id', '=', device.project_id)
        .where(notDeleted('projects'))
        .as('project'),
      eb.selectFrom('device_state').select('online').where('device_id', '=', deviceId).as('online'),
      eb.selectFrom('device_state').select('clock_ms').where('device_id', '=', deviceId).as('skew'),
      eb
        .selectFrom('device_reported')
        .select('payload')
        .where('device_id', '=', deviceId)
        .where('kind', '=', 'cfg')
        .as('reported'),
      eb
        .exists(
          eb
            .selectFrom('commands')
            .select('id')
            .where('device_id', '=', deviceId)
            .where('verb', '=', 'ota')
            .where('state', 'in', openStates),
        )
        .as('updating'),
      eb.exists(eb.selectFrom('active_tags').select('tag_id').where('device_id', '=', deviceId)).as('tagged'),
      eb
        .exists(
          eb
            .selectFrom('config_messages')
            .select('id')
            .where('device_id', '=', deviceId)
            .where('state', '=', 'sent')
            .where('expires_at', '>', at),
        )
        .as('in_flight'),
    ])
    .executeTakeFirstOrThrow();
  const rev = about.reported?.['rev'];
  return {
    number: device.number,
    bound: about.project !== null,
    online: about.online ?? false,
    netCtrl: device.net_ctrl,
    updating: Boolean(about.updating),
    tagged: Boolean(about.tagged),
    inFlight: Boolean(about.in_flight),
    base: typeof rev === 'number' ? rev : null,
    reported: (about.reported as Report | null | undefined) ?? null,
    skewMs: about.skew ?? 0,
  };
};

/** The only way to a device's configuration topic, for settings and timers alike. */
export const createConfigSender = ({ db, bus, clock, link, log }: ConfigSenderDeps): ConfigSender => {
  const settling = new Map<number, Promise<void>>();
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

  const claim = (deviceId: number, purpose: ConfigPurpose, compose: Compose) =>
    db.transaction().execute(async (trx) => {
      const now = clock.now();
      const facts = await configFacts(trx, deviceId, now, true);
      if (!facts) return { reason: 'missing' as const };
      const { number, skewMs, ...known } = facts;
      const id = randomUUID();
      // The content is not composed if the guard would refuse any content.
      const hopeless = decideConfig({ ...known, netCtrl: true }, {});
      if (hopeless) return { reason: hopeless };
      const content = await compose(trx, { id, facts: known });
      if (!content) return { reason: 'nothing' as const };
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
      const message: CfgSetMessage = { v: 1, id, exp: now + deviceMs + Math.abs(skewMs), base, ...content };
      return { id, base, expiresAt, number, message };
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
      const { id, base, expiresAt, number, message } = claimed;
      try {
        await link.publishConfig(number, message);
      } catch {
        // Publishing failed. The message carries desired state, so a late delivery is harmless.
        await db
          .updateTable('config_messages')
          .set({ state: 'undelivered', ended_at: new Date(clock.now()) })
          .where('id', '=', id)
          .where('state', '=', 'sent')
          .execute();
        return { sent: false, reason: 'offline' };
      }
      return { sent: true, id, base, expiresAt };
    },
  };
};
