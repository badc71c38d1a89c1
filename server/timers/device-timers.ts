import type { Db } from '#database/connect.ts';
import { zoneNamed } from './timers.rules.ts';

export const mostMisled = 500;

/** A zone in the form for a device, with its present offset in minutes: some devices know only offsets. */
export const zoneAsSent = (name: string, now: number): string => `${name} ${zoneNamed(name).offset(now)}`;

/** Devices whose confirmed timers have an offset that is no longer right, because the clocks of their zone changed. */
export const sentAnotherZone = async (db: Db, now: number): Promise<number[]> => {
  const confirmed = db
    .selectFrom('timer_copies as copy')
    .where('copy.state', '=', 'synced')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('timers')
          .select('timers.id')
          .whereRef('timers.device_id', '=', 'copy.device_id')
          .where('timers.slot', 'is not', null),
      ),
    );
  const zones = await confirmed.select('copy.zone').distinct().execute();
  const past = zones.flatMap(({ zone }) =>
    zone !== null && zone !== zoneAsSent(zone.split(' ')[0]!, now) ? [zone] : [],
  );
  if (past.length === 0) return [];
  const devices = await confirmed
    .select('copy.device_id')
    .where('copy.zone', 'in', past)
    .orderBy('copy.device_id')
    .limit(mostMisled)
    .execute();
  return devices.map((row) => row.device_id);
};
