import { sql } from 'kysely';
import type { JobDevice } from '#contract/device-job-columns.ts';
import type { deviceJobEndpoints, JobRowState } from '#contract/device-jobs.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import type { JobKind } from '#database/tables/jobs.ts';
import { fault } from '#server/core/fault.ts';
import { reasonSentence } from '#server/core/reason.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

type Shown = ReplyOf<typeof deviceJobEndpoints.list>['list'][number];
type Detail = ReplyOf<typeof deviceJobEndpoints.job>;
export interface JobCaller {
  userId: number;
  scope: Scope;
}
interface Stored {
  id: string;
  kind: JobKind;
  user_id: number;
  operator: string;
  created_at: Date;
  total: number;
  cancelled_at: Date | null;
  cancelled_by: string | null;
  counts: Record<string, number>;
}
const mostUnfinished = 500;

const shown = (job: Stored): Shown => {
  const count = (state: string) => job.counts[state] ?? 0;
  const done = count('queued') + count('waiting') === 0;
  return {
    job_id: job.id,
    kind: job.kind,
    operator: job.operator,
    created_at: job.created_at.toISOString(),
    total: job.total,
    counts: job.counts,
    succeeded: count('done') + count('applied'),
    done,
    cancelled:
      job.cancelled_at === null
        ? null
        : { operator: job.cancelled_by ?? '', at: job.cancelled_at.toISOString() },
    may_cancel: !done && job.cancelled_at === null,
  };
};
const columns = sql`job.id, job.kind, job.user_id, job.operator, job.created_at, job.total, job.cancelled_at,
  job.cancelled_by, counted.counts`;
const counting = sql`
  cross join lateral (
    select coalesce(jsonb_object_agg(state, n), '{}') as counts
    from (select state, count(*) as n from device_job_rows where job_id = job.id group by state) each) counted`;
const visible = ({ userId, scope }: JobCaller) => (scope.all ? sql`true` : sql`job.user_id = ${userId}`);
const unended = sql`exists (select from device_job_rows where job_id = job.id and state in ('queued', 'waiting'))`;

/** Throws `thing.missing` for an unknown job and for another user's job. */
export const jobSummary = async (db: Db, caller: JobCaller, jobId: string): Promise<Shown> => {
  const { rows } = await sql<Stored>`
    select ${columns} from device_jobs job ${counting} where job.id = ${jobId} and ${visible(caller)}`.execute(
    db,
  );
  return rows[0] ? shown(rows[0]) : fault('thing.missing');
};

export const jobList = async (
  db: Db,
  caller: JobCaller,
  { page, limit, sort, running }: BodyOf<typeof deviceJobEndpoints.list>,
): Promise<ReplyOf<typeof deviceJobEndpoints.list>> => {
  const where = sql`${visible(caller)} and ${
    running === undefined ? sql`true` : running ? unended : sql`not ${unended}`
  }`;
  const [counted, found] = await Promise.all([
    sql<{ total: number }>`select count(*) as total from device_jobs job where ${where}`.execute(db),
    sql<Stored>`
      select ${columns} from (
        select * from device_jobs job where ${where}
        order by created_at ${sort === 'created_at' ? sql`asc` : sql`desc`}, id
        limit ${limit} offset ${(page - 1) * limit}) job ${counting}
      order by job.created_at ${sort === 'created_at' ? sql`asc` : sql`desc`}, job.id`.execute(db),
  ]);
  return { list: found.rows.map(shown), total: counted.rows[0]!.total, page, limit };
};

const reasonOf = (jobId: string) => sql`case when row.state = 'waiting' then (
  select max(reason) from device_desired
  where device_desired.job_id = ${jobId} and device_desired.device_id = row.device_id) else row.reason end`;
const devicesOf = ({ scope }: JobCaller, jobId: string) => sql`
  from device_job_rows row join devices on devices.id = row.device_id
  where row.job_id = ${jobId} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}`;

/** A job with its unfinished devices; devices outside the scope are counted and not named. */
export const jobDetail = async (
  db: Db,
  caller: JobCaller,
  jobId: string,
  language: Language,
): Promise<Detail> => {
  const summary = await jobSummary(db, caller, jobId);
  const { rows } = await sql<Omit<Detail['unfinished'][number], 'message'>>`
    select row.device_id, devices.number, row.state, ${reasonOf(jobId)} as reason
    ${devicesOf(caller, jobId)} and row.state not in ('queued', 'done', 'applied')
    order by row.device_id limit ${mostUnfinished}`.execute(db);
  return {
    ...summary,
    unfinished: rows.map((row) => ({ ...row, message: reasonSentence(row.reason, language) })),
  };
};

/** The devices of a job that are in the scope, page by page. */
export const jobDevices = async (
  db: Db,
  caller: JobCaller,
  jobId: string,
  { limit, cursor }: { limit: number; cursor?: string },
  language: Language,
): Promise<{ list: JobDevice[]; next_cursor: string | null }> => {
  const { rows } = await sql<{
    device_id: number;
    number: string;
    state: JobRowState;
    reason: string | null;
  }>`
    select row.device_id, devices.number, row.state, ${reasonOf(jobId)} as reason
    ${devicesOf(caller, jobId)} and row.device_id > ${Number(cursor ?? 0)}
    order by row.device_id limit ${limit}`.execute(db);
  return {
    list: rows.map(({ number, state, reason }) => ({
      number,
      state,
      message: reasonSentence(reason, language),
    })),
    next_cursor: rows.length === limit ? String(rows.at(-1)!.device_id) : null,
  };
};
