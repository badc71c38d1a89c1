import type { Logger } from 'pino';
import { noticeChannels } from '#contract/deliveries.ts';
import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { RoundReport } from '#server/core/rounds.ts';
import { claim, freeExpiredLeases } from './claim.ts';
import { overdue } from './facts.ts';
import { planRound } from './plan.ts';
import { deliver } from './send.ts';
import { type VapidKeys, vapidKeys } from './ways.ts';

export interface Notices {
  start(): Promise<void>;
  /** Looks for due deliveries now. */
  kick(): void;
  /** Resolves when nothing is being planned or sent. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Alarms of this long are planned together, so that a storm is one push. */
const gatherMs = 1000;
const lookEveryMs = 5000;
const mostAtOnce = 16;
const plannedAtOnce = 500;
const requestLimitMs = 10_000;

/**
 * Plans notices as alarms change and sends what is due. Everything is in the database: events only say that it is
 * time to look, and what they lose is found again every five seconds.
 */
export const createNotices = (deps: {
  db: Db;
  bus: Bus;
  clock: Clock;
  log: Logger;
  publicUrl?: string | undefined;
  requestLimitMs?: number;
  /** Called after each look for what is due. */
  onRound?: ((report: RoundReport) => void) | undefined;
}): Notices => {
  const { db, bus, clock, log } = deps;
  let keys: VapidKeys | null = null;
  let stopped = true;
  const pending = new Set<number>();
  let cancelGather: (() => void) | null = null;
  let cancelLook = () => {};
  let looking = false;
  let planning: Promise<void> = Promise.resolve();
  const sending = new Set<Promise<void>>();
  const busy = new Map(noticeChannels.map((channel) => [channel, new Set<string>()]));
  const stops: (() => void)[] = [];

  const plan = () => {
    planning = planning
      .then(async () => {
        while (pending.size > 0 && !stopped) {
          const ids = [...pending].slice(0, plannedAtOnce);
          for (const id of ids) pending.delete(id);
          const { userIds, queued } = await planRound(db, ids, clock.now()).catch((error: unknown) => {
            for (const id of ids) pending.add(id);
            throw error;
          });
          if (userIds.length > 0) bus.emit('message.posted', { userIds: [...new Set(userIds)] });
          if (queued) kick();
        }
      })
      .catch((error: unknown) => log.error({ err: error }, 'notices were not planned; tried again soon'));
  };

  /** One after the other while there is more than one turn can take. */
  const lane = async (channel: (typeof noticeChannels)[number]) => {
    const taken = busy.get(channel)!;
    while (!stopped && keys !== null) {
      const room = mostAtOnce - taken.size;
      if (room <= 0) return;
      const rows = await claim(db, channel, [...taken], room, clock.now());
      if (rows.length === 0) return;
      const told = (userIds: readonly number[]) => {
        if (userIds.length > 0) bus.emit('message.posted', { userIds });
      };
      const sender = {
        told,
        db,
        keys,
        publicUrl: deps.publicUrl ?? '',
        limitMs: deps.requestLimitMs ?? requestLimitMs,
        now: () => clock.now(),
      };
      for (const row of rows) {
        taken.add(row.target);
        track(
          deliver(sender, row).finally(() => {
            taken.delete(row.target);
            kick();
          }),
        );
      }
    }
  };
  const track = (work: Promise<void>) => {
    const tracked = work
      .catch((error: unknown) => log.error({ err: error }, 'delivery failed'))
      .finally(() => sending.delete(tracked));
    sending.add(tracked);
  };
  let claiming = false;
  let again = false;
  const kick = () => {
    again = true;
    if (claiming || stopped) return;
    claiming = true;
    track(
      (async () => {
        try {
          while (again) {
            again = false;
            await freeExpiredLeases(db, clock.now());
            for (const channel of noticeChannels) await lane(channel);
          }
        } finally {
          claiming = false;
        }
      })(),
    );
  };

  const look = () => {
    if (stopped) return;
    cancelLook();
    cancelLook = clock.after(lookEveryMs, look);
    kick();
    if (looking) return;
    looking = true;
    const startedAt = clock.now();
    const report = (outcome: { error?: unknown }) =>
      deps.onRound?.({ startedAt, endedAt: clock.now(), nextAt: clock.now() + lookEveryMs, ...outcome });
    planning = planning
      .then(async () => {
        looking = false;
        for (const id of await overdue(db, clock.now())) pending.add(id);
        report({});
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'overdue notices were not found');
        report({ error });
      });
    plan();
  };

  return {
    async start() {
      keys = await vapidKeys(db, clock.now());
      stopped = false;
      stops.push(
        bus.on('alarms.changed', (changes) => {
          for (const { kind, alarmId } of changes)
            if (
              kind === 'raised' ||
              kind === 'escalated' ||
              kind === 'urged' ||
              kind === 'unshelved' ||
              kind === 'cleared'
            )
              pending.add(alarmId);
          if (pending.size === 0 || cancelGather !== null) return;
          cancelGather = clock.after(gatherMs, () => {
            cancelGather = null;
            plan();
          });
        }),
      );
      look();
    },
    kick,
    async idle() {
      for (;;) {
        const before = planning;
        await before;
        await Promise.all([...sending]);
        if (planning === before && sending.size === 0) return;
      }
    },
    async stop() {
      stopped = true;
      for (const stop of stops) stop();
      cancelGather?.();
      cancelLook();
      await planning;
      while (sending.size > 0) await Promise.all([...sending]);
    },
  };
};
