import { sql } from 'kysely';
import { isWithin, parameterOf } from '#contract/parameters.ts';
import type { Db } from '#database/connect.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import {
  type Answer,
  changesBetween,
  judge,
  nameOf,
  type Reported,
  same,
  settingNamed,
} from './settings.rules.ts';
import { settingsStore } from './settings.store.ts';

const retryMs = 2_000;

interface Taken {
  /** Number of desired values that this report ended. */
  settled: number;
  pending: number;
  /** Lines whose limits changed with this report. */
  lineIds: number[];
  /** Jobs that progressed with this report. */
  jobIds: string[];
}

/**
 * Processes a device's report: ends desired values, records other changes, and applies the device's limits to
 * its lines. Repeating it changes nothing.
 */
export const takeReport = async (
  db: Db,
  deviceId: number,
  answer: Answer | null,
  now: number,
): Promise<Taken> =>
  db.transaction().execute(async (trx) => {
    const store = settingsStore(trx);
    const reported = await store.reported(deviceId);
    if (!reported) return { settled: 0, pending: 0, lineIds: [], jobIds: [] };
    const known = (await store.hold([deviceId])).get(deviceId)!;
    const wishes = await store.desired(deviceId);
    if ((answer ?? reported.answer) === null) await withdrawSent(trx, deviceId, reported.at, now);
    const byName = new Map(wishes.map((wish) => [nameOf(wish), wish]));
    const at = new Date(now);

    let settled = 0;
    let pending = 0;
    for (const wish of wishes) {
      if (wish.state !== 'pending') continue;
      const { state, reason } = judge(wish, reported.values, answer ?? reported.answer);
      if (state === 'pending') {
        pending += 1;
        continue;
      }
      settled += 1;
      await trx
        .updateTable('device_desired')
        .set({ state, reason, settled_at: at })
        .where('device_id', '=', deviceId)
        .where('kind', '=', wish.kind)
        .where('place', '=', wish.place)
        .where('key', '=', wish.key)
        .execute();
    }
    const jobIds = settled > 0 ? await jobStore(trx).settle(deviceId) : [];

    const changed = known.reported === null ? [] : changesBetween(known.reported, reported.values);
    const unasked = changed.filter((change) => !same(byName.get(nameOf(change))?.value, change.after));
    if (unasked.length > 0) await store.addChanges(deviceId, known.revision + 1, at, null, unasked);
    await trx
      .updateTable('device_settings')
      .set({
        revision: known.revision + (unasked.length > 0 ? 1 : 0),
        reported: JSON.stringify(reported.values),
        reported_rev: reported.rev,
        reported_at: reported.at,
        // A device that refused for a reason of its own is asked again only after a pause.
        due_at:
          pending > 0 ? new Date(now + (answer === null || answer.st === 'applied' ? 0 : retryMs)) : null,
      })
      .where('device_id', '=', deviceId)
      .execute();
    const lineIds =
      known.reported === null || changed.length > 0 ? await takeLimits(trx, deviceId, reported.values) : [];
    return { settled, pending, lineIds, jobIds };
  });

/**
 * A device that reports its settings unasked has just connected, or was changed locally: earlier messages to
 * it are lost or will be refused. A later answer is still noted.
 */
const withdrawSent = async (trx: Db, deviceId: number, reportedAt: Date, now: number): Promise<void> => {
  await trx
    .updateTable('config_messages')
    .set({ state: 'undelivered', ended_at: new Date(now) })
    .where('device_id', '=', deviceId)
    .where('purpose', '=', 'settings')
    .where('state', '=', 'sent')
    .where('sent_at', '<', reportedAt)
    .execute();
};

/**
 * The server judges readings by the device's own limits, but not by impossible ones, which would suppress or
 * raise every alarm.
 */
const takeLimits = async (trx: Db, deviceId: number, values: Reported): Promise<number[]> => {
  const byPlace = new Map<number, Record<string, number>>();
  for (const [name, value] of Object.entries(values)) {
    const { kind, place, key } = settingNamed(name);
    const known = parameterOf(key);
    if (kind !== 'parameter' || typeof value !== 'number' || !known || !isWithin(known, value)) continue;
    if (known.role === 'report' || known.role === 'other') continue;
    byPlace.set(place, { ...byPlace.get(place), [key]: value });
  }
  const ofDevice = Object.fromEntries(Object.entries(byPlace.get(0) ?? {}).filter(([key]) => key === 'un'));
  byPlace.delete(0);
  if (byPlace.size === 0) return [];
  const places = [...byPlace.keys()];
  const { rows } = await sql<{ id: number }>`
    update lines set thresholds = lines.thresholds || given.limits
    from unnest(${places}::smallint[],
      ${places.map((place) => JSON.stringify({ ...ofDevice, ...byPlace.get(place) }))}::jsonb[]) as given (n, limits)
    where lines.device_id = ${deviceId} and lines.n = given.n
      and lines.thresholds || given.limits is distinct from lines.thresholds
    returning lines.id`.execute(trx);
  return rows.map((row) => row.id);
};
