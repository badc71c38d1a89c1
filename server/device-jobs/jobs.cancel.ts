import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import type { JobCaller } from './jobs.show.ts';

/**
 * Ends a job where it stands. What is in the queue is not begun; what is wished of a device and not on its way is
 * withdrawn; what is on its way ends as the device says. Returns the devices whose wishes were withdrawn.
 */
export const cancelJob = async (
  trx: Db,
  caller: JobCaller & { username: string },
  jobId: string,
  now: number,
): Promise<number[]> => {
  const job = await trx
    .selectFrom('device_jobs')
    .select(['id', 'user_id', 'cancelled_at'])
    .where('id', '=', jobId)
    .forUpdate()
    .executeTakeFirst();
  if (!job || (!caller.scope.all && job.user_id !== caller.userId)) return fault('thing.missing');
  const open = await trx
    .selectFrom('device_job_rows')
    .select('device_id')
    .where('job_id', '=', jobId)
    .where('state', 'in', ['queued', 'waiting'])
    .limit(1)
    .executeTakeFirst();
  if (job.cancelled_at !== null || !open) return fault('job.over');
  const at = new Date(now);
  await trx
    .updateTable('device_jobs')
    .set({ cancelled_at: at, cancelled_by: caller.username, queued: false })
    .where('id', '=', jobId)
    .execute();
  await trx
    .updateTable('device_job_rows')
    .set({ state: 'cancelled', reason: null })
    .where('job_id', '=', jobId)
    .where('state', '=', 'queued')
    .execute();
  return withdraw(trx, jobId, caller.username, at);
};

/**
 * Takes back what cancelled jobs still wish of a device, because it was on its way then and no answer came. Returns the
 * jobs concerned.
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

/** Takes back the wishes of a job that are not on their way; what the device reports stands again. */
const withdraw = async (
  trx: Db,
  jobId: string,
  operator: string,
  at: Date,
  onlyDevice: number | null = null,
): Promise<number[]> => {
  const concerned = onlyDevice === null ? sql`true` : sql`device_id = ${onlyDevice}`;
  // Whoever composes a message for a device holds this row: none is on its way that is not seen below.
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
