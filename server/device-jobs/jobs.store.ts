import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { JobRowState } from '#contract/device-jobs.ts';
import type { Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { JobKind } from '#database/tables/jobs.ts';
import type { Events } from '#server/core/bus.ts';
import type { Scope } from '#server/core/scope.ts';

/** What became of one device of a job; the reason is a fault code, or a word of the guard or the device. */
export interface JobRow {
  deviceId: number;
  state: JobRowState;
  reason: string | null;
}
/** On whose behalf a job acts, as they stand now. */
export interface JobAuthor {
  readonly userId: number;
  readonly username: string;
  readonly scope: Scope;
}
/** How one kind of job is done. */
export interface JobAct {
  /** Asked for anew each time some of the devices have their turn. */
  readonly permission: Permission;
  /** Acts on some devices in the given transaction, each judged by itself. Throws Fault where none can be done. */
  run(
    trx: Db,
    job: { id: string; parameters: unknown; author: JobAuthor; now: number },
    deviceIds: readonly number[],
  ): Promise<JobRow[]>;
  /** What is told of a device where something was done. */
  readonly event: 'device.changed' | 'settings.changed' | null;
}
export type JobActs = Readonly<Record<JobKind, JobAct>>;
export type JobEvent = Events['job.changed'];

export const jobStore = (db: Db) => ({
  /** Writes a job with its rows; those without an outcome stand in the queue. */
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
      insert into device_job_rows (job_id, device_id, state, reason)
      select ${id}::uuid, device_id, state, reason
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

  /** Where jobs stand with a device after some of its wishes came to their end. Returns the jobs concerned. */
  async settle(deviceId: number): Promise<string[]> {
    const { rows } = await sql<{ job_id: string }>`
      update device_job_rows job set state = ended.state, reason = ended.reason
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

  /** Ends what waits of these devices, because they are gone. */
  async endWaiting(deviceIds: readonly number[], state: JobRowState, reason: string): Promise<void> {
    await sql`
      update device_job_rows set state = ${state}, reason = ${reason}
      where device_id = any(${[...deviceIds]}::int[]) and state = 'waiting'`.execute(db);
  },
});
