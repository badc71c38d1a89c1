import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { MaintenanceJob } from '#contract/backups.ts';
import { isFault, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import type { MaintenanceKind, MaintenanceState } from '#database/tables/maintenance.ts';
import { fault } from '#server/core/fault.ts';

export interface NewJob {
  kind: MaintenanceKind;
  cause: 'manual' | 'schedule';
  tables: readonly string[] | null;
  backup: string | null;
  /** Sealed. */
  passphrase: Buffer | null;
  by: { userId: number | null; username: string };
  now: number;
}
export interface OpenJob {
  id: string;
  kind: MaintenanceKind;
  cause: 'manual' | 'schedule';
  tables: string[] | null;
  backup: string | null;
  passphrase: Buffer | null;
  operator: string;
  attempts: number;
  result: Record<string, unknown>;
}
const openJobStates = ['queued', 'running', 'swapping'] as const satisfies MaintenanceState[];
/** Maximum number of waiting jobs: each may take an hour. */
const mostOpen = 20;
/** Number of ended jobs that are kept. */
const keptJobs = 500;

const columns = [
  'id',
  'kind',
  'cause',
  'state',
  'tables',
  'backup',
  'operator',
  'step',
  'done',
  'total',
  'cancel_asked',
  'created_at',
  'started_at',
  'ended_at',
  'fault',
  'fault_with',
  'result',
] as const;
const listed = (db: Db) => db.selectFrom('maintenance_jobs').select(columns);
type Stored = Awaited<ReturnType<ReturnType<typeof listed>['executeTakeFirstOrThrow']>>;

const shown = (row: Stored, language: Language): MaintenanceJob => ({
  job_id: row.id,
  kind: row.kind,
  cause: row.cause,
  state: row.state,
  tables: row.tables,
  backup: row.backup,
  operator: row.operator,
  step: row.step,
  done: row.done,
  total: row.total,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  message:
    row.fault !== null && isFault(row.fault) ? sentence(row.fault, language, row.fault_with) : row.fault,
  result: row.result,
  may_cancel: (row.state === 'queued' || row.state === 'running') && !row.cancel_asked,
});

export const maintenanceStore = (db: Db) => ({
  async create(job: NewJob): Promise<string> {
    const { n } = await db
      .selectFrom('maintenance_jobs')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('state', 'in', openJobStates)
      .executeTakeFirstOrThrow();
    if (n >= mostOpen) fault('backup.busy');
    const id = randomUUID();
    await db
      .insertInto('maintenance_jobs')
      .values({
        id,
        kind: job.kind,
        cause: job.cause,
        state: 'queued',
        tables: job.tables && [...job.tables],
        backup: job.backup,
        passphrase: job.passphrase,
        user_id: job.by.userId,
        operator: job.by.username,
        created_at: new Date(job.now),
      })
      .execute();
    return id;
  },

  async list(
    {
      page,
      limit,
      sort,
      running,
      kind,
    }: {
      page: number;
      limit: number;
      sort?: string | undefined;
      running?: boolean | undefined;
      kind?: MaintenanceKind | undefined;
    },
    language: Language,
  ) {
    const narrowed = db
      .selectFrom('maintenance_jobs')
      .$if(running !== undefined, (query) => query.where('state', running ? 'in' : 'not in', openJobStates))
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind!));
    const [{ total }, rows] = await Promise.all([
      narrowed.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      narrowed
        .select(columns)
        .orderBy('created_at', sort === 'created_at' ? 'asc' : 'desc')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute(),
    ]);
    return { list: rows.map((row) => shown(row, language)), total, page, limit };
  },

  /** Throws `thing.missing`. */
  async find(id: string, language: Language): Promise<MaintenanceJob> {
    const row = await listed(db).where('id', '=', id).executeTakeFirst();
    return row ? shown(row, language) : fault('thing.missing');
  },

  async askToCancel(id: string, now: number): Promise<void> {
    const row = await db
      .selectFrom('maintenance_jobs')
      .select(['state', 'cancel_asked'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return fault('thing.missing');
    if (row.state === 'queued') return this.end(id, 'cancelled', { now });
    if (row.state !== 'running' || row.cancel_asked) fault('job.over');
    await db.updateTable('maintenance_jobs').set({ cancel_asked: true }).where('id', '=', id).execute();
  },

  /** The next job: one that a server left when it ended, else the oldest waiting one. */
  async takeNext(now: number): Promise<OpenJob | null> {
    const job = await db
      .selectFrom('maintenance_jobs')
      .select(['id', 'kind', 'cause', 'tables', 'backup', 'passphrase', 'operator', 'attempts', 'result'])
      .where('state', 'in', ['queued', 'running'])
      .orderBy(sql`state = 'running'`, 'desc')
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (!job) return null;
    await db
      .updateTable('maintenance_jobs')
      .set({
        state: 'running',
        attempts: job.attempts + 1,
        started_at: new Date(now),
        step: null,
        done: 0,
        total: 0,
      })
      .where('id', '=', job.id)
      .execute();
    return { ...job, attempts: job.attempts + 1 };
  },

  /** Stores the progress of the job; true: a user asked to cancel it. */
  async progress(
    id: string,
    { step, done, total }: { step: string; done: number; total: number },
  ): Promise<boolean> {
    const row = await db
      .updateTable('maintenance_jobs')
      .set({ step, done, total })
      .where('id', '=', id)
      .returning('cancel_asked')
      .executeTakeFirst();
    return row?.cancel_asked ?? false;
  },

  async note(id: string, result: Record<string, unknown>, backup?: string): Promise<void> {
    await db
      .updateTable('maintenance_jobs')
      .set({ result: JSON.stringify(result), ...(backup === undefined ? {} : { backup }) })
      .where('id', '=', id)
      .execute();
  },

  /** The next start of the server continues from here. */
  async readyToSwap(id: string): Promise<void> {
    await db
      .updateTable('maintenance_jobs')
      .set({ state: 'swapping', step: null })
      .where('id', '=', id)
      .execute();
  },
  /** Releases an unfinished job because the server stops, or because its staged files are missing. */
  async giveBack(id: string, attempts: number): Promise<void> {
    await db
      .updateTable('maintenance_jobs')
      .set({ state: 'queued', attempts })
      .where('id', '=', id)
      .execute();
  },

  async end(
    id: string,
    state: 'done' | 'failed' | 'cancelled',
    given: { now: number; fault?: string; with?: Readonly<Record<string, string | number>> },
  ): Promise<void> {
    await db
      .updateTable('maintenance_jobs')
      .set({
        state,
        ended_at: new Date(given.now),
        passphrase: null,
        step: null,
        fault: given.fault ?? null,
        fault_with: JSON.stringify(given.with ?? {}),
      })
      .where('id', '=', id)
      .execute();
  },

  async trim(): Promise<void> {
    await sql`
      delete from maintenance_jobs where state not in ('queued', 'running', 'swapping') and id not in (
        select id from maintenance_jobs order by created_at desc limit ${keptJobs})`.execute(db);
  },

  /** When each backup was last proved by a drill. */
  async proofs(): Promise<ReadonlyMap<string, Date>> {
    const rows = await db
      .selectFrom('maintenance_jobs')
      .select(['backup', ({ fn }) => fn.max('ended_at').as('at')])
      .where('kind', '=', 'drill')
      .where('state', '=', 'done')
      .where('backup', 'is not', null)
      .groupBy('backup')
      .execute();
    return new Map(rows.map(({ backup, at }) => [backup!, at!]));
  },

  async lastDrill(onlyPassed: boolean) {
    return db
      .selectFrom('maintenance_jobs')
      .select(['backup', 'state', 'started_at', 'ended_at', 'result', 'fault', 'fault_with'])
      .where('kind', '=', 'drill')
      .where('state', 'in', onlyPassed ? ['done'] : ['done', 'failed'])
      .where('ended_at', 'is not', null)
      .orderBy('ended_at', 'desc')
      .limit(1)
      .executeTakeFirst();
  },
});
