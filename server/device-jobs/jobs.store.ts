import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { JobRowState } from '#contract/device-jobs.ts';
import type { Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { JobKind } from '#database/tables/jobs.ts';
import type { DeviceChange } from '#server/core/bus.ts';
import type { Scope } from '#server/core/scope.ts';

/** The result of a job for one device; the reason is a fault code, or a code of the guard or the device. */
export interface JobRow {
  deviceId: number;
  state: JobRowState;
  reason: string | null;
  /** Parameters of the reason's sentence, for the answer to the call; they are not stored. */
  with?: Readonly<Record<string, string>>;
}
/** The author for whom a job acts, with the present permissions. */
export interface JobAuthor {
  readonly userId: number;
  readonly username: string;
  readonly scope: Scope;
  readonly permissions: ReadonlySet<Permission>;
}
/** How one kind of job acts. */
export interface JobAct {
  /** The store reads this again for each group of devices. */
  readonly permission: Permission;
  /**
   * Acts on some devices in the given transaction, independently for each. Throws Fault if it can act on
   * none.
   */
  run(
    trx: Db,
    job: {
      id: string;
      parameters: unknown;
      author: JobAuthor;
      now: number;
      /** The project of each device when the job was begun. */
      askedIn: ReadonlyMap<number, number | null>;
      /** Receives the ids of other jobs that also progressed. */
      jobMoved: (jobId: string) => void;
    },
    deviceIds: readonly number[],
  ): Promise<JobRow[]>;
  /** What changed about the completed devices. */
  readonly changes: DeviceChange | 'settings';
}
/** Reason of a waiting row whose job had one of its desired values replaced. */
export const partlySuperseded = 'superseded';
export type JobActs = Readonly<Record<JobKind, JobAct>>;

export const jobStore = (db: Db) => ({
  /** Writes a job with its rows; those without a result are queued. */
  async create(job: {
    id?: string;
    kind: JobKind;
    by: { userId: number; username: string };
    now: number;
    parameters: unknown;
    rows: readonly JobRow[];
  }): Promise<string> {
    const id = job.id ?? randomUUID();
    await db
      .insertInto('device_jobs')
      .values({
        id,
        kind: job.kind,
        user_id: job.by.userId,
        operator: job.by.username,
        created_at: new Date(job.now),
        parameters: JSON.stringify(job.parameters),
        total: job.rows.length,
        queued: job.rows.some(({ state }) => state === 'queued'),
      })
      .execute();
    await sql`
      insert into device_job_rows (job_id, device_id, state, reason, project_id)
      select ${id}::uuid, device_id, state, reason, (select project_id from devices where id = device_id)
      from unnest(${job.rows.map((row) => row.deviceId)}::int[], ${job.rows.map((row) => row.state)}::text[],
        ${job.rows.map((row) => row.reason)}::text[]) as given (device_id, state, reason)`.execute(db);
    return id;
  },

  async setRows(jobId: string, rows: readonly JobRow[]): Promise<void> {
    await sql`
      update device_job_rows row set state = given.state, reason = given.reason
      from unnest(${rows.map((row) => row.deviceId)}::int[], ${rows.map((row) => row.state)}::text[],
        ${rows.map((row) => row.reason)}::text[]) as given (device_id, state, reason)
      where row.job_id = ${jobId} and row.device_id = given.device_id`.execute(db);
  },

  /** Updates the job rows of a device after some of its desired values ended. Returns the affected jobs. */
  async settle(deviceId: number): Promise<string[]> {
    const { rows } = await sql<{ job_id: string }>`
      update device_job_rows job set reason = ended.reason,
        state = case when ended.state = 'applied' and job.reason = ${partlySuperseded} then 'superseded'
          else ended.state end
      from (
        select job_id,
          case when bool_or(state = 'rejected') then 'rejected' when bool_or(state = 'conflict') then 'conflict'
            else 'applied' end as state,
          max(reason) as reason
        from device_desired where device_id = ${deviceId} and job_id is not null
        group by job_id having not bool_or(state = 'pending')) ended
      where job.job_id = ended.job_id and job.device_id = ${deviceId} and job.state = 'waiting'
      returning job.job_id`.execute(db);
    return rows.map((row) => row.job_id);
  },

  /** Ends the waiting rows of these devices, because the devices were deleted. */
  async endWaiting(deviceIds: readonly number[], state: JobRowState, reason: string): Promise<void> {
    await sql`
      update device_job_rows set state = ${state}, reason = ${reason}
      where device_id = any(${[...deviceIds]}::int[]) and state = 'waiting'`.execute(db);
  },
});

/**
 * Withdraws the desired values of cancelled jobs that had been sent to a device and got no answer. Returns
 * the affected jobs.
 */
export const withdrawCancelled = async (db: Db, deviceId: number, now: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string; cancelled_by: string | null }>`
    select distinct job.id, job.cancelled_by from device_desired wish
    join device_jobs job on job.id = wish.job_id and job.cancelled_at is not null
    where wish.device_id = ${deviceId} and wish.state = 'pending'`.execute(db);
  const withdrawn: string[] = [];
  for (const { id, cancelled_by } of rows) {
    const devices = await db
      .transaction()
      .execute((trx) => withdraw(trx, id, cancelled_by ?? '', new Date(now), deviceId));
    if (devices.length > 0) withdrawn.push(id);
  }
  return withdrawn;
};

/** Withdraws the desired values of a job that were not sent; the device's report counts again. */
export const withdraw = async (
  trx: Db,
  jobId: string,
  operator: string,
  at: Date,
  onlyDevice: number | null = null,
): Promise<number[]> => {
  const concerned = onlyDevice === null ? sql`true` : sql`device_id = ${onlyDevice}`;
  // Code that composes a message for a device locks this row: after this, every message under way is visible
  // below.
  await sql`
    select device_id from device_settings
    where device_id in (select device_id from device_job_rows where job_id = ${jobId} and state = 'waiting' and ${concerned})
    order by device_id for update`.execute(trx);
  const { rows } = await sql<{ device_id: number }>`
    with gone as (
      delete from device_desired d where job_id = ${jobId} and state = 'pending' and ${concerned} and not exists (
        select from config_messages m join device_desired sent on sent.message_id = m.id
        where m.device_id = d.device_id and m.state = 'sent' and m.expires_at > ${at}::timestamptz
          and sent.device_id = d.device_id and sent.job_id = ${jobId} and sent.state = 'pending')
      returning device_id, kind, place, key, value
    ), devices as (
      select gone.device_id, jsonb_agg(jsonb_build_object('kind', kind, 'place', place, 'key', key, 'before', value,
        'after', known.reported -> (kind || '/' || place || '/' || key)) order by kind, place, key) as changes
      from gone join device_settings known on known.device_id = gone.device_id group by 1
    ), revised as (
      update device_settings s set revision = s.revision + 1, due_at = case when exists (
          select from device_desired d where d.device_id = s.device_id and d.state = 'pending'
            and d.job_id is distinct from ${jobId}) then s.due_at end
      from devices where s.device_id = devices.device_id
      returning s.device_id, s.revision
    ), noted as (
      insert into setting_changes (device_id, revision, at, operator, changes)
      select revised.device_id, revised.revision, ${at}::timestamptz, ${operator}, devices.changes
      from revised join devices on devices.device_id = revised.device_id
    )
    update device_job_rows row set state = 'cancelled', reason = null from devices
    where row.job_id = ${jobId} and row.device_id = devices.device_id and row.state = 'waiting'
    returning row.device_id`.execute(trx);
  return rows.map((row) => row.device_id);
};

/** Deletes finished jobs that began before `before`. Returns their number. */
export const forgetJobs = async (db: Db, before: Date, signal: AbortSignal): Promise<number> => {
  for (let removed = 0; ; removed += 1) {
    const { rows } = await sql<{ id: string }>`
      select id from device_jobs job where created_at < ${before}::timestamptz and not exists (
        select from device_job_rows where job_id = job.id and state in ('queued', 'waiting'))
      order by created_at limit 1`.execute(db);
    const [job] = rows;
    if (!job || signal.aborted) return removed;
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom('device_job_rows').where('job_id', '=', job.id).execute();
      await trx.deleteFrom('device_jobs').where('id', '=', job.id).execute();
    });
  }
};
