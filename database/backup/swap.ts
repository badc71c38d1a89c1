import type pg from 'pg';
import { BackupError, flawed } from './backup-error.ts';
import { endedTables, quoted, readSequences, readTables } from './catalogue.ts';
import type { Manifest } from './manifest.ts';
import { dropStaging, instant, stagingOf, type Target } from './stage.ts';

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}
/** How long the swap waits for a table that another session holds, before it is aborted and retried. */
const lockWait = '60s';

/**
 * Replaces the present data with the staged data, completely or not at all, in the caller's transaction.
 * Foreign keys are checked again for every row. Time partitions that the backup does not have are emptied.
 * `whole`: everything is replaced, so sessions end too. Throws BackupError: `counted` if the staging is
 * incomplete, `constraint` if the rows violate a constraint.
 */
export const swapIn = async (
  client: pg.ClientBase,
  manifest: Manifest,
  targets: readonly Target[],
  { whole }: { whole: boolean },
): Promise<void> => {
  const names = targets.map(({ table }) => table.name);
  await client.query(`set local lock_timeout = '${lockWait}'; set local timezone = 'UTC'`);
  const ended = whole ? await emptied(client) : [];
  await client.query(`lock table ${[...names, ...ended].map(quoted).join(', ')} in access exclusive mode`);
  const keys = await foreignKeys(client, names);
  for (const { table, name } of keys)
    await client.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`);
  const guarded = await withTriggers(client, names);
  for (const name of guarded) await client.query(`alter table ${quoted(name)} disable trigger user`);
  for (const name of ended) await client.query(`delete from ${quoted(name)}`);
  for (const target of targets)
    await (target.table.partitionKey === null
      ? replaceRows(client, target)
      : replacePartitions(client, target));
  for (const name of guarded) await client.query(`alter table ${quoted(name)} enable trigger user`);
  for (const key of keys) await putBack(client, key);
  const known = new Set((await readSequences(client)).map(({ name }) => name));
  for (const { name, table, value } of manifest.sequences)
    if (known.has(name) && (table === null || names.includes(table)))
      // Ids that were given since the backup must not be given again.
      await client.query(
        `select setval($1::regclass, greatest($2, (select last_value from ${quoted(name)})))`,
        [quoted(name), value],
      );
  await dropStaging(client);
};

const emptied = async (client: pg.ClientBase): Promise<string[]> =>
  (await readTables(client)).map(({ name }) => name).filter((name) => endedTables.includes(name));

/** Definitions of the foreign keys from and to these tables. */
const foreignKeys = async (client: pg.ClientBase, names: readonly string[]): Promise<ForeignKey[]> =>
  (
    await client.query<ForeignKey>(
      `select t.relname as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class to_table on to_table.oid = c.confrelid
       where c.contype = 'f' and c.conparentid = 0 and t.relnamespace = 'public'::regnamespace
         and (t.relname = any($1) or to_table.relname = any($1))
       order by c.oid`,
      [names],
    )
  ).rows;
const putBack = async (client: pg.ClientBase, { table, name, definition }: ForeignKey): Promise<void> => {
  try {
    await client.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '23503')
      throw new BackupError('constraint', { table, constraint: name }, error);
    throw error;
  }
};
const withTriggers = async (client: pg.ClientBase, names: readonly string[]): Promise<string[]> =>
  (
    await client.query<{ name: string }>(
      `select distinct c.relname as name from pg_trigger g join pg_class c on c.oid = g.tgrelid
       where not g.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
      [names],
    )
  ).rows.map(({ name }) => name);

const replaceRows = async (client: pg.ClientBase, { table, given }: Target): Promise<void> => {
  const list = table.columns.map(({ name }) => quoted(name)).join(', ');
  await client.query(`truncate ${quoted(table.name)}`);
  for (const { name, rows } of given.pieces) {
    const { rowCount } = await client
      .query(
        `insert into ${quoted(table.name)} (${list}) overriding system value select ${list} from ${stagingOf(name)}`,
      )
      .catch((error: unknown) => {
        // The rows of the backup violate this constraint, so the table can be restored only without it.
        if (
          error instanceof Error &&
          'code' in error &&
          ['23505', '23514', '23502'].includes(String(error.code))
        )
          throw new BackupError('duplicate', { table: table.name }, error);
        throw error;
      });
    if (rowCount !== rows) flawed('counted', { table: table.name });
  }
};

const replacePartitions = async (client: pg.ClientBase, { table, given }: Target): Promise<void> => {
  const root = quoted(table.name);
  const { pieces } = (await readTables(client)).find(({ name }) => name === table.name)!;
  for (const { name } of pieces)
    if (given.pieces.some((each) => each.name === name)) await client.query(`drop table ${quoted(name)}`);
    else await client.query(`truncate ${quoted(name)}`);
  for (const { name, range, rows } of given.pieces) {
    const staged = stagingOf(name);
    const { rows: counted } = await client.query<{ n: number }>(`select count(*) as n from ${staged}`);
    if (Number(counted[0]!.n) !== rows) flawed('counted', { table: name });
    await client.query(`alter table ${staged} set schema public`);
    await client.query(
      `alter table ${root} attach partition ${quoted(name)} for values from (${literal(range!.from)}) to (${literal(range!.to)})`,
    );
    await client.query(`alter table ${quoted(name)} drop constraint within_range`);
  }
};
const literal = (text: string): string => instant(text).replace('timestamptz ', '');
