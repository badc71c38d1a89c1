import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DesiredState } from '#database/tables/settings.ts';
import { fault } from '#server/core/fault.ts';
import { partlySuperseded } from '#server/device-jobs/jobs.store.ts';
import { isNetControl, nameOf, type Setting, same, type Wish } from './settings.rules.ts';
import { type Known, settingsStore } from './settings.store.ts';

interface Staging {
  deviceId: number;
  /** The project in which they were asked for; null: none, or by the server itself. */
  askedIn: number | null;
  wishes: readonly Wish[];
}
interface StagedBy {
  userId: number | null;
  operator: string;
  now: number;
  jobId?: string;
  /**
   * Called with each job that progressed because its values were replaced. The events are emitted after the
   * commit.
   */
  jobMoved: (jobId: string) => void;
}
export interface Staged {
  deviceId: number;
  revision: number;
  rows: (Wish & { state: DesiredState })[];
  /** Whether the server switched remote control: then the link's and the guard's data of the device changed. */
  netControl: boolean;
}

/** Refuses an edit of an older revision, and returns the changes since. */
export const expectRevision = async (
  trx: Db,
  deviceId: number,
  revision: number,
  seen: number | undefined,
): Promise<void> => {
  if (seen === undefined || seen === revision) return;
  const since = await settingsStore(trx).changesSince(deviceId, seen);
  fault('thing.changed', {
    data: {
      revision,
      changed: since.flatMap((step) =>
        step.changes.map((change) => ({
          ...change,
          operator: step.operator,
          at: step.at.toISOString(),
        })),
      ),
    },
  });
};

/**
 * Writes desired values of devices, in the caller's transaction: they stay until each device confirms them,
 * also while it is offline. `seen` is the revision that the editor saw; throws `thing.changed`.
 */
export const stage = async (
  trx: Db,
  stagings: readonly Staging[],
  by: StagedBy,
  seen?: number,
): Promise<Staged[]> => {
  const asked = stagings.filter(({ wishes }) => wishes.length > 0);
  if (asked.length === 0) return [];
  const ids = asked.map(({ deviceId }) => deviceId);
  const store = settingsStore(trx);
  await holdSwitched(trx, asked);
  const known = await store.hold(ids);
  for (const { deviceId } of asked) await expectRevision(trx, deviceId, known.get(deviceId)!.revision, seen);
  const at = new Date(by.now);
  const before = await trx.selectFrom('device_desired').selectAll().where('device_id', 'in', ids).execute();
  const inFlight = await trx
    .selectFrom('config_messages')
    .select('device_id')
    .where('device_id', 'in', ids)
    .where('state', '=', 'sent')
    .execute();
  const onTheWay = new Set(inFlight.map((row) => row.device_id));
  // A report that is stored and not processed yet is what the device has now.
  const { rows: unprocessed } = await sql<{ device_id: number }>`
    select reported.device_id from device_reported reported
    join device_settings known on known.device_id = reported.device_id
    where reported.device_id = any(${ids}::int[]) and reported.kind = 'cfg'
      and ((reported.payload ->> 'rev')::bigint, reported.received_at)
        is distinct from (known.reported_rev, known.reported_at)`.execute(trx);
  for (const { device_id } of unprocessed) {
    const reported = await store.reported(device_id);
    if (reported) known.set(device_id, { ...known.get(device_id)!, reported: reported.values });
  }
  const wished = new Map(before.map((row) => [`${row.device_id}/${nameOf(row)}`, row]));
  const staged = asked.map((one) => decide(one, known.get(one.deviceId)!, onTheWay.has(one.deviceId)));

  const askedIn = new Map(asked.map((one) => [one.deviceId, one.askedIn]));
  const all = staged.flatMap(({ deviceId, revision, rows }) =>
    rows.map((row) => ({
      ...{ ...row, deviceId, revision, reported: known.get(deviceId)!.reported },
      askedIn: askedIn.get(deviceId) ?? null,
    })),
  );
  for (const jobId of await supersedeJobs(trx, all, before)) by.jobMoved(jobId);
  await writeWishes(trx, all, by);
  await notePartlySuperseded(trx, all, before);
  const beforeOf = (deviceId: number, wish: Wish): unknown =>
    wished.get(`${deviceId}/${nameOf(wish)}`)?.value ?? known.get(deviceId)!.reported?.[nameOf(wish)] ?? null;
  await noteChanges(trx, staged, beforeOf, by);
  await sql`
    update device_settings set revision = revision + 1, due_at = case when exists (
      select from device_desired d where d.device_id = device_settings.device_id and d.state = 'pending')
      then ${at}::timestamptz end
    where device_id = any(${ids}::int[])`.execute(trx);
  await switchNetControl(trx, all);
  return staged;
};

/**
 * Whether a desired value waits for its device, or equals the device's report while nothing else is under
 * way.
 */
const decide = (
  { deviceId, wishes }: Staging,
  { revision, reported }: Known,
  isOnTheWay: boolean,
): Staged => ({
  deviceId,
  revision: revision + 1,
  netControl: wishes.some(isNetControl),
  rows: wishes.map((wish) => {
    const shows = same(reported?.[nameOf(wish)], wish.value) && !isOnTheWay;
    // If a device never reported its enables, the server itself keeps this switch.
    const ownSwitch = wish.key === 'net_ctrl' && reported?.['enable/0/net_ctrl'] === undefined;
    return { ...wish, state: shows || ownSwitch ? 'applied' : 'pending' };
  }),
});

type StagedRow = Staged['rows'][number] & {
  deviceId: number;
  revision: number;
  askedIn: number | null;
  reported: Known['reported'];
};
const writeWishes = async (trx: Db, all: readonly StagedRow[], by: StagedBy): Promise<void> => {
  const at = new Date(by.now);
  await sql`
    insert into device_desired as d (device_id, kind, place, key, value, seen, state, revision, job_id, user_id, operator,
      project_id, wished_at, settled_at)
    select device_id, kind, place, key, value, seen, state, revision, ${by.jobId ?? null}::uuid, ${by.userId}::int,
      ${by.operator}, project_id, ${at}::timestamptz, case when state = 'applied' then ${at}::timestamptz end
    from unnest(${all.map((row) => row.deviceId)}::int[], ${all.map((row) => row.kind)}::text[],
      ${all.map((row) => row.place)}::smallint[], ${all.map((row) => row.key)}::text[],
      ${all.map((row) => JSON.stringify(row.value))}::jsonb[],
      ${all.map((row) => (row.reported?.[nameOf(row)] === undefined ? null : JSON.stringify(row.reported[nameOf(row)])))}::jsonb[],
      ${all.map((row) => row.state)}::text[], ${all.map((row) => row.revision)}::int[],
      ${all.map((row) => row.askedIn)}::int[])
      as wish (device_id, kind, place, key, value, seen, state, revision, project_id)
    order by device_id, kind, place, key
    on conflict (device_id, kind, place, key) do update set
      value = excluded.value, seen = excluded.seen, state = excluded.state, reason = null, revision = excluded.revision,
      job_id = excluded.job_id, message_id = null, user_id = excluded.user_id, operator = excluded.operator,
      project_id = excluded.project_id, wished_at = excluded.wished_at, sent_at = null, settled_at = excluded.settled_at`.execute(
    trx,
  );
};

const noteChanges = async (
  trx: Db,
  staged: readonly Staged[],
  beforeOf: (deviceId: number, wish: Wish) => unknown,
  by: StagedBy,
): Promise<void> => {
  const at = new Date(by.now);
  const changes = staged.map(({ deviceId, rows }) =>
    JSON.stringify(
      rows.map((row) => ({
        kind: row.kind,
        place: row.place,
        key: row.key,
        before: beforeOf(deviceId, row),
        after: row.value,
      })),
    ),
  );
  await sql`
    insert into setting_changes (device_id, revision, at, operator, changes)
    select device_id, revision, ${at}::timestamptz, ${by.operator}, changes
    from unnest(${staged.map((row) => row.deviceId)}::int[], ${staged.map((row) => row.revision)}::int[],
      ${changes}::jsonb[]) as step (device_id, revision, changes)`.execute(trx);
};

/** Lock a device before its settings, as code that composes a configuration does. */
const holdSwitched = async (trx: Db, stagings: readonly Staging[]): Promise<void> => {
  const switched = stagings.filter(({ wishes }) => wishes.some(isNetControl));
  if (switched.length === 0) return;
  const ids = switched.map(({ deviceId }) => deviceId);
  await trx
    .selectFrom('devices')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
};

/**
 * Disabling takes effect at once, enabling when the device confirms it; without a report of the device the
 * server decides.
 */
const switchNetControl = async (
  trx: Db,
  rows: readonly (Wish & { deviceId: number; state: DesiredState })[],
): Promise<void> => {
  for (const { deviceId, key, value, state } of rows) {
    if (key !== 'net_ctrl' || (value === true && state === 'pending')) continue;
    await trx
      .updateTable('devices')
      .set((row) => ({ net_ctrl: value === true, revision: row('revision', '+', 1) }))
      .where('id', '=', deviceId)
      .where('net_ctrl', '!=', value === true)
      .execute();
  }
};

type Before = Setting & { device_id: number; job_id: string | null; state: string };
/** Devices with jobs that have other values waiting. */
const jobsThatGoOn = (
  wishes: readonly (Wish & { deviceId: number })[],
  before: readonly object[],
): ReadonlySet<string> => {
  const names = new Set(wishes.map((wish) => `${wish.deviceId}/${nameOf(wish)}`));
  return new Set(
    (before as readonly Before[])
      .filter(
        (row) =>
          row.job_id !== null && row.state === 'pending' && !names.has(`${row.device_id}/${nameOf(row)}`),
      )
      .map((row) => `${row.device_id}/${row.job_id}`),
  );
};

/** A job with one replaced and one waiting value records this for its end. */
const notePartlySuperseded = async (
  trx: Db,
  wishes: readonly (Wish & { deviceId: number })[],
  before: readonly object[],
): Promise<void> => {
  const names = new Set(wishes.map((wish) => `${wish.deviceId}/${nameOf(wish)}`));
  const goOn = jobsThatGoOn(wishes, before);
  const partly = (before as readonly Before[]).filter(
    (row) =>
      row.state === 'pending' &&
      names.has(`${row.device_id}/${nameOf(row)}`) &&
      goOn.has(`${row.device_id}/${row.job_id}`),
  );
  if (partly.length === 0) return;
  await sql`
    update device_job_rows job set reason = ${partlySuperseded}
    from unnest(${partly.map((row) => row.job_id)}::uuid[], ${partly.map((row) => row.device_id)}::int[])
      as part (job_id, device_id)
    where job.job_id = part.job_id and job.device_id = part.device_id and job.state = 'waiting'`.execute(trx);
};

/** Marks jobs whose desired value was replaced by a newer one. Returns the affected jobs. */
const supersedeJobs = async (
  trx: Db,
  wishes: readonly (Wish & { deviceId: number })[],
  before: readonly {
    device_id: number;
    kind: string;
    place: number;
    key: string;
    job_id: string | null;
    state: string;
  }[],
): Promise<ReadonlySet<string>> => {
  const names = new Set(wishes.map((wish) => `${wish.deviceId}/${nameOf(wish)}`));
  const goOn = jobsThatGoOn(wishes, before);
  const givingWay = before.filter(
    (row) =>
      row.job_id !== null &&
      row.state === 'pending' &&
      names.has(`${row.device_id}/${nameOf(row as never)}`) &&
      !goOn.has(`${row.device_id}/${row.job_id}`),
  );
  if (givingWay.length === 0) return new Set();
  const { rows } = await sql<{ job_id: string }>`
    update device_job_rows job set state = 'superseded'
    from unnest(${givingWay.map((row) => row.job_id)}::uuid[], ${givingWay.map((row) => row.device_id)}::int[])
      as gone (job_id, device_id)
    where job.job_id = gone.job_id and job.device_id = gone.device_id and job.state = 'waiting'
    returning job.job_id`.execute(trx);
  return new Set(rows.map((row) => row.job_id));
};
