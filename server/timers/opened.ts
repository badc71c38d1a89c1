import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** The rule of a timer, as in its row. */
interface Ruled {
  type: 'once' | 'weekly';
  days: number;
  date: string | null;
}
const dayMs = 86_400_000;
/** A once timer counts like a weekly one from a week before its date. */
const horizonDays = 7;
const dayOf = (date: string): number => 1 << ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7);
/** The last date within the horizon: one day more, because zones differ. */
const lastDate = (now: number): string =>
  new Date(now + (horizonDays + 1) * dayMs).toISOString().slice(0, 10);

/**
 * Days (or none) on which a closing timer of a device may run although server timers open its line at the
 * same time of day: open wins, but the device does not know the server's timers, and its clock is not exact
 * to the second.
 */
export const daysLeft = (closing: Ruled, opens: readonly Ruled[], now: number): number => {
  const asked = closing.type === 'weekly' ? closing.days : dayOf(closing.date!);
  return opens.reduce((left, open) => {
    if (open.type === 'weekly') return left & ~open.days;
    const meets = closing.type === 'weekly' ? open.date! <= lastDate(now) : open.date === closing.date;
    return meets ? left & ~dayOf(open.date!) : left;
  }, asked);
};

/**
 * Devices that hold a weekly closing timer of a line with a once opening timer: their copy changes when the
 * date of the once timer is near.
 */
export const openedOnce = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select distinct closing.device_id as id from timers closing
    join timers opening on opening.line_id = closing.line_id and opening.time = closing.time
      and opening.run_by = 'server' and opening.type = 'once' and opening.action = 'open' and opening.enabled and opening.done_at is null
    where closing.slot is not null and closing.type = 'weekly' and closing.action = 'close' and closing.enabled
    order by 1 limit 500`.execute(db);
  return rows.map(({ id }) => id);
};
