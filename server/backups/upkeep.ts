import pg from 'pg';
import { quoted } from '#database/backup/catalogue.ts';
import type { Progress } from '#database/backup/dump.ts';
import { constraintsOf, countViolations, type Finding } from './constraints.ts';

interface Work {
  databaseUrl: string;
  /** Names that the catalogue contains. */
  tables: readonly string[];
  progress: Progress;
  signal: AbortSignal;
}

const over = async <Result>(
  { databaseUrl, signal }: Pick<Work, 'databaseUrl' | 'signal'>,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'ampwatch maintenance' });
  client.on('error', () => {}); // a lost connection rejects the current query
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // A statement over a large table may run for an hour: ending the job also ends the statement.
  const cut = () => void cancelStatement(databaseUrl, rows[0]!.pid);
  signal.addEventListener('abort', cut);
  try {
    signal.throwIfAborted();
    await client.query('set statement_timeout = 0');
    return await run(client);
  } finally {
    signal.removeEventListener('abort', cut);
    await client.end();
  }
};
const cancelStatement = async (databaseUrl: string, pid: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
  } catch {
    // The database is down, and the statement has ended with it.
  } finally {
    await client.end().catch(() => {});
  }
};

/**
 * Frees the space of deleted rows and updates the planner's statistics, one table at a time; readers and
 * writers continue.
 */
export const optimise = (work: Work): Promise<void> =>
  over(work, async (client) => {
    for (const [index, name] of work.tables.entries()) {
      work.signal.throwIfAborted();
      work.progress({ step: name, done: index, total: work.tables.length });
      await client.query(`vacuum (analyze) public.${quoted(name)}`);
    }
  });

/** Rebuilds the indexes without blocking writers, and counts the rows that violate a constraint. */
export const repair = (work: Work): Promise<Finding[]> =>
  over(work, async (client) => {
    const findings: Finding[] = [];
    for (const [index, name] of work.tables.entries()) {
      work.signal.throwIfAborted();
      work.progress({ step: name, done: index, total: work.tables.length });
      await reindex(client, name);
      for (const constraint of await constraintsOf(client, name)) {
        const rows = await countViolations(client, constraint);
        if (rows > 0)
          findings.push({ table: name, constraint: constraint.name, kind: constraint.kind, rows });
      }
    }
    return findings;
  });

/** If an index cannot be rebuilt, the old one stays in use; the failed copy is removed. */
const reindex = async (client: pg.Client, name: string): Promise<void> => {
  try {
    await client.query(`reindex (concurrently) table public.${quoted(name)}`);
  } finally {
    const { rows } = await client.query<{ index: string }>(
      `select i.relname as index from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
       where not x.indisvalid and i.relname ~ '_cc(new|old)[0-9]*$' and i.relkind = 'i' and t.relname = $1`,
      [name],
    );
    for (const { index } of rows)
      await client.query(`drop index concurrently if exists public.${quoted(index)}`);
  }
};
