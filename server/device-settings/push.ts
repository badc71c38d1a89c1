import { sql } from 'kysely';
import { answerMs, type ConfigRefusal, type ConfigSender } from '#server/control/config-message.ts';
import { createBackground } from '#server/core/background.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds } from '#server/core/rounds.ts';
import { jobStore, withdrawCancelled } from '#server/device-jobs/jobs.store.ts';
import { withdrawals, withdrawn } from './author-rights.ts';
import { takeReport } from './report.ts';
import { type Answer, contentOf, nameOf, nextToSend, same } from './settings.rules.ts';
import { settingsStore } from './settings.store.ts';

interface SettingsSenderDeps extends CoreDeps {
  sender: Pick<ConfigSender, 'send'>;
}
export interface SettingsSender {
  /** Takes over values that were waiting before, and listens. */
  start(): Promise<void>;
  /** Stops listening and waits for current work. */
  stop(): Promise<void>;
}
const atOnce = 32;
/** A device claimed by a node that died is retried after this time. */
const leaseMs = 30_000;
const longestSleepMs = 10_000;
const retryMs = 2_000;
const never = null;
/** When a refused value is retried without an event; null: an event will announce the change. */
const retryAfterMs: Record<ConfigRefusal, number | null> = {
  missing: never,
  offline: never,
  unreported: never,
  busy: retryMs,
  ota: 60_000,
  stale: 10_000,
  unbound: 600_000,
  net_ctrl_off: 600_000,
  locked: 60_000,
  tagged: 60_000,
  uninspected: 60_000,
};

/**
 * Sends desired values to devices as soon as the guard allows each: durable, many in parallel, on any node.
 */
export const createSettingsSender = ({ db, bus, clock, sender, log }: SettingsSenderDeps): SettingsSender => {
  const background = createBackground((error, what) => log.error({ err: error }, `settings: ${what} failed`));
  /**
   * Devices whose refusal can end without notice and is then announced by an event. They are retried earlier
   * than others.
   */
  const hindered = new Set<number>();
  let listening: (() => void)[] = [];
  let stopped = false;

  const progressed = (deviceId: number) => bus.emit('settings.progressed', { deviceId });

  const take = async (deviceId: number, answer: Answer | null): Promise<void> => {
    const { settled, lineIds, jobIds } = await takeReport(db, deviceId, answer, clock.now());
    for (const lineId of lineIds) bus.emit('line.changed', { lineId, deviceId });
    for (const jobId of jobIds) bus.emit('job.changed', { jobId });
    if (settled > 0) {
      progressed(deviceId);
      bus.emit('device.changed', { deviceId, what: 'report' });
    }
  };

  const noteRefusal = async (deviceId: number, reason: ConfigRefusal, lease: Date): Promise<void> => {
    const now = clock.now();
    const after = retryAfterMs[reason];
    await db.transaction().execute(async (trx) => {
      await settingsStore(trx).hold([deviceId]);
      await settingsStore(trx).setDue(deviceId, after === null ? null : new Date(now + after), lease);
      await trx
        .updateTable('device_desired')
        .set({ reason })
        .where('device_id', '=', deviceId)
        .where('state', '=', 'pending')
        .execute();
    });
    if (after === null) hindered.delete(deviceId);
    else hindered.add(deviceId);
  };

  const sendTo = async (deviceId: number, lease: Date): Promise<void> => {
    let behind = false;
    let jobIds: string[] = [];
    for (const jobId of await withdrawCancelled(db, deviceId, clock.now()))
      bus.emit('job.changed', { jobId });
    const sent = await sender.send(deviceId, 'settings', async (trx, { id, facts }) => {
      const store = settingsStore(trx);
      const known = (await store.hold([deviceId])).get(deviceId)!;
      behind = known.reportedRev !== facts.base;
      if (behind) return null;
      const waiting = (await store.desired(deviceId)).filter((wish) => wish.state === 'pending');
      const shown = waiting.filter((wish) => same(known.reported?.[nameOf(wish)], wish.value));
      const now = new Date(clock.now());
      const update = (which: readonly (typeof waiting)[number][], set: object) =>
        which.length === 0
          ? null
          : trx
              .updateTable('device_desired')
              .set(set)
              .where('device_id', '=', deviceId)
              .where(
                sql<string>`kind || '/' || place || '/' || key`,
                'in',
                which.map((wish) => nameOf(wish)),
              )
              .execute();
      await update(shown, { state: 'applied', reason: null, settled_at: now });
      const unshown = waiting.filter((wish) => !shown.includes(wish));
      const gone = await withdrawn(trx, deviceId, {
        wishes: unshown,
        reported: known.reported ?? {},
      });
      for (const reason of withdrawals)
        await update(
          unshown.filter((wish) => gone.get(wish) === reason),
          { state: 'rejected', reason, settled_at: now },
        );
      if (shown.length + gone.size > 0) jobIds = await jobStore(trx).settle(deviceId);
      const missing = unshown.filter((wish) => !gone.has(wish));
      const going = nextToSend(missing, facts);
      if (going.length === 0) return null;
      await update(going, { message_id: id, sent_at: now, reason: null });
      await store.setDue(deviceId, new Date(now.getTime() + answerMs));
      return {
        content: contentOf(going),
        authorIds: going.flatMap(({ user_id }) => user_id ?? []),
        async isCurrent(later) {
          const lost = await withdrawn(later, deviceId, { wishes: going, reported: known.reported ?? {} });
          return lost.size === 0;
        },
      };
    });
    if (behind) {
      await take(deviceId, null);
      return;
    }
    if (sent.sent || sent.reason === 'nothing') hindered.delete(deviceId);
    for (const jobId of jobIds) bus.emit('job.changed', { jobId });
    if (!sent.sent)
      await (sent.reason === 'nothing'
        ? settingsStore(db).setDue(deviceId, null, lease)
        : noteRefusal(deviceId, sent.reason, lease));
    progressed(deviceId);
  };

  /** Claims due devices until none is left; then sleeps until the next one is due. */
  const round = async (): Promise<number | null> => {
    for (let claimed = atOnce; claimed === atOnce && !stopped; ) {
      const now = clock.now();
      const lease = new Date(now + leaseMs);
      const { rows } = await sql<{ device_id: number }>`
        update device_settings set due_at = ${lease}::timestamptz where device_id in (
          select device_id from device_settings where due_at <= ${new Date(now)}::timestamptz
          order by due_at limit ${atOnce} for update skip locked)
        returning device_id`.execute(db);
      claimed = rows.length;
      const sendOne = (deviceId: number) =>
        sendTo(deviceId, lease).catch((error: unknown) =>
          log.error({ err: error, device: deviceId }, 'settings: sending failed'),
        );
      await Promise.all(rows.map(({ device_id }) => sendOne(device_id)));
    }
    const next = await db
      .selectFrom('device_settings')
      .select((eb) => eb.fn.min('due_at').as('at'))
      .where('due_at', 'is not', null)
      .executeTakeFirst();
    return next?.at?.getTime() ?? null;
  };
  const rounds = createRounds({ name: 'settings', clock, log, longestMs: longestSleepMs, round });
  /** A reconnecting device first reports its settings: new values are compared with that report. */
  const dueSoon = async (deviceId: number): Promise<void> => {
    const { numUpdatedRows } = await db
      .updateTable('device_settings')
      .set({ due_at: new Date(clock.now() + retryMs) })
      .where('device_id', '=', deviceId)
      .where('due_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('device_desired')
            .select('key')
            .where('device_id', '=', deviceId)
            .where('state', '=', 'pending'),
        ),
      )
      .executeTakeFirst();
    if (numUpdatedRows > 0n) rounds.wakeAt(clock.now() + retryMs);
  };

  const tryAgain = (deviceId: number): void => {
    if (!hindered.delete(deviceId)) return;
    background.run('a hindrance ended', async () => {
      const now = new Date(clock.now());
      await db
        .updateTable('device_settings')
        .set({ due_at: now })
        .where('device_id', '=', deviceId)
        .where('due_at', '>', now)
        .execute();
      rounds.wake();
    });
  };

  return {
    async start() {
      listening = [
        bus.on('device.changed', ({ deviceId }) => tryAgain(deviceId)),
        bus.on('command.changed', ({ deviceId, verb }) => {
          if (verb === 'ota') tryAgain(deviceId);
        }),
        bus.on('tag.changed', () => {
          for (const deviceId of hindered) tryAgain(deviceId);
        }),
        bus.on('device.config', ({ deviceId, config: { id, st, why } }) =>
          background.run('taking a report', async () => {
            await take(deviceId, id !== undefined && st !== undefined ? { id, st, why } : null);
            rounds.wake();
          }),
        ),
        bus.on('device.online', ({ deviceId, online }) => {
          if (online) background.run('a device came', () => dueSoon(deviceId));
        }),
        bus.on('settings.requested', rounds.wake),
      ];
      await sql`
        update device_settings set due_at = ${new Date(clock.now())}::timestamptz
        where due_at is null and device_id in (
          select d.device_id from device_desired d join device_state s on s.device_id = d.device_id
          where d.state = 'pending' and s.online)`.execute(db);
      // Processes reports that arrived while no server listened.
      const { rows } = await sql<{ device_id: number }>`
        select reported.device_id from device_reported reported join device_settings s on s.device_id = reported.device_id
        where reported.kind = 'cfg' and ((reported.payload ->> 'rev')::bigint, reported.received_at)
            is distinct from (s.reported_rev, s.reported_at) and exists (
          select from device_desired d where d.device_id = reported.device_id and d.state = 'pending')`.execute(
        db,
      );
      for (const { device_id } of rows) await take(device_id, null);
      rounds.start();
    },
    async stop() {
      stopped = true;
      for (const end of listening) end();
      await rounds.stop();
      await background.settled();
    },
  };
};
