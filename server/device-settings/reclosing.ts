import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { tripsOfLines, uninspectedTrips } from '#server/control/inspections.ts';
import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds } from '#server/core/rounds.ts';
import { serverName } from '#server/core/server-name.ts';
import { stage } from './staging.ts';

const mostDevices = 500;

/** Condition on `device_reported as reported`: the device reports auto-reclose as on, and no order to end it waits. */
const isReclosing = sql<boolean>`(reported.kind = 'cfg' and reported.payload -> 'en' -> 'auto_reclose' = 'true'
  and not exists (
    select from device_desired wish where wish.device_id = reported.device_id and wish.kind = 'enable'
      and wish.key = 'auto_reclose' and wish.value = 'false'
      -- 'denied': the user who set it lost the right; the device itself has refused nothing.
      and (wish.state = 'pending' or wish.state = 'rejected' and wish.reason is distinct from 'denied')))`;

interface Reclosing {
  id: number;
  operator: string;
}
/** Devices under a lock-out tag that would reclose, with the author of the first of their tags. */
const reclosingUnderTag = async (db: Db): Promise<Reclosing[]> => {
  const { rows } = await sql<Reclosing>`
    select distinct on (tagged.device_id) tagged.device_id as id, users.username as operator
    from active_tags tagged
    join users on users.id = tagged.owner_id
    join device_reported reported on reported.device_id = tagged.device_id
    where ${isReclosing}
    order by tagged.device_id, tagged.set_at limit ${mostDevices}`.execute(db);
  return rows;
};

/** Devices with a tripped line without an inspection that would reclose; `more`: there may be others. */
const reclosingUninspected = async (db: Db): Promise<{ found: Reclosing[]; more: boolean }> => {
  const { rows } = await sql<{ line_id: number }>`
    select trip.line_id from uninspected_trips trip
    join device_reported reported on reported.device_id = trip.device_id
    where ${isReclosing}
    order by trip.device_id limit ${mostDevices}`.execute(db);
  const trips = await uninspectedTrips(db, tripsOfLines(rows.map(({ line_id }) => line_id)));
  const ids = [...new Set(trips.map(({ deviceId }) => deviceId))];
  return { found: ids.map((id) => ({ id, operator: serverName })), more: rows.length === mostDevices };
};

/**
 * Switches auto-reclose off in devices under a lock-out tag, and in devices with a tripped line without an
 * inspection: otherwise the line could close by itself while a person works on it, or before anybody looked. It
 * stays off until a user switches it on again.
 */
export const createReclosingRest = ({ db, bus, clock, log }: CoreDeps) => {
  let listening: (() => void)[] = [];
  const rounds = createRounds({
    name: 'auto-reclose',
    clock,
    log,
    async round() {
      const underTag = await reclosingUnderTag(db);
      const tagged = new Set(underTag.map(({ id }) => id));
      const { found, more } = await reclosingUninspected(db);
      const uninspected = found.filter(({ id }) => !tagged.has(id));
      for (const { id, operator } of [...underTag, ...uninspected]) {
        const wishes = [{ kind: 'enable', place: 0, key: 'auto_reclose', value: false }] as const;
        const jobIds: string[] = [];
        const by = {
          userId: null,
          operator,
          now: clock.now(),
          jobMoved: (jobId: string) => jobIds.push(jobId),
        };
        await db.transaction().execute((trx) => stage(trx, [{ deviceId: id, askedIn: null, wishes }], by));
        bus.emit('settings.requested', { deviceId: id });
        for (const jobId of jobIds) bus.emit('job.changed', { jobId });
      }
      return underTag.length === mostDevices || (more && uninspected.length > 0) ? clock.now() : null;
    },
  });
  return {
    start(): void {
      listening = [
        bus.on('tag.changed', ({ kind }) => {
          if (kind === 'set') rounds.wake();
        }),
        bus.on('lines.tripped', () => rounds.wake()),
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
