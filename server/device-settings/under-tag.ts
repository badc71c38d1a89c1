import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { stage } from './staging.ts';

const mostDevices = 500;

/**
 * Devices that report auto-reclose as on under a lock-out tag, with the author of the first of their tags.
 */
const reclosingUnderTag = async (db: Db): Promise<{ id: number; operator: string }[]> => {
  const { rows } = await sql<{ id: number; operator: string }>`
    select distinct on (tagged.device_id) tagged.device_id as id, users.username as operator
    from active_tags tagged
    join users on users.id = tagged.owner_id
    join device_reported reported on reported.device_id = tagged.device_id and reported.kind = 'cfg'
      and reported.payload -> 'en' -> 'auto_reclose' = 'true'
    where not exists (
      select from device_desired wish where wish.device_id = tagged.device_id and wish.kind = 'enable'
        and wish.key = 'auto_reclose' and wish.value = 'false'
        -- 'denied': the user who wished it lost the right; the device itself has refused nothing.
        and (wish.state = 'pending' or wish.state = 'rejected' and wish.reason is distinct from 'denied'))
    order by tagged.device_id, tagged.set_at limit ${mostDevices}`.execute(db);
  return rows;
};

/**
 * Switches auto-reclose off in devices under a lock-out tag: otherwise a tripped line could close by itself
 * while a person works on it. It stays off until a user switches it on again.
 */
export const createTaggedSettings = ({
  db,
  bus,
  clock,
  log,
}: {
  db: Db;
  bus: Bus;
  clock: Clock;
  log: Logger;
}) => {
  let listening: (() => void)[] = [];
  const rounds = createRounds({
    name: 'auto-reclose under tags',
    clock,
    log,
    async round() {
      const found = await reclosingUnderTag(db);
      for (const { id, operator } of found) {
        const wishes = [{ kind: 'enable', place: 0, key: 'auto_reclose', value: false }] as const;
        const jobIds: string[] = [];
        const by = {
          userId: null,
          operator,
          now: clock.now(),
          jobMoved: (jobId: string) => jobIds.push(jobId),
        };
        await db.transaction().execute((trx) => stage(trx, [{ deviceId: id, wishes }], by));
        bus.emit('settings.requested', { deviceId: id });
        for (const jobId of jobIds) bus.emit('job.changed', { jobId });
      }
      return found.length === mostDevices ? clock.now() : null;
    },
  });
  return {
    start(): void {
      listening = [
        bus.on('tag.changed', ({ kind }) => {
          if (kind === 'set') rounds.wake();
        }),
        bus.on('device.config', ({ config }) => {
          if (config.en?.['auto_reclose'] === true) rounds.wake();
        }),
        bus.on('device.changed', ({ what }) => {
          if (what === 'place') rounds.wake();
        }),
        bus.on('events.missed', () => rounds.wake()),
      ];
      rounds.start();
    },
    async stop(): Promise<void> {
      for (const end of listening) end();
      await rounds.stop();
    },
  };
};
