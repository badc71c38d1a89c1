import type pg from 'pg';

interface Column {
  name: string;
  type: string;
}
/** One table on disk: a whole table, or one partition of a table. */
export interface Piece {
  name: string;
  /** For a partition: its range of the partition key, UTC. */
  range: { from: string; to: string } | null;
}
export interface Table {
  name: string;
  /** Without generated columns. */
  columns: readonly Column[];
  /** The column of a table that is partitioned by ranges of time; null: the table is not partitioned. */
  partitionKey: string | null;
  pieces: readonly Piece[];
}
interface Sequence {
  name: string;
  /** Null: the sequence belongs to no column. */
  table: string | null;
}

/**
 * Tables that no backup contains and no restore changes: they describe this installation's own work, which
 * continues across a restore.
 */
const localTables: readonly string[] = [
  'health_problems',
  'maintenance_jobs',
  'migrations',
  'node_reports',
  'scheduled_jobs',
];
/**
 * Tables that a backup leaves out because their rows are short-lived secrets or counters. A full restore
 * empties `endedTables`: no session survives, and a repeated call gets no old answer.
 */
export const endedTables: readonly string[] = ['sessions', 'one_time_links', 'captchas', 'serials'];
const passingTables: readonly string[] = [...endedTables, 'sign_in_tries'];
/** Tables that are only consistent together. */
const together: readonly (readonly string[])[] = [['operation_log', 'operation_log_head']];

export const isBackedUp = (name: string): boolean =>
  !localTables.includes(name) && !passingTables.includes(name);
/** The named tables and their companions. */
export const withCompanions = (names: readonly string[]): string[] => [
  ...new Set([...names, ...together.filter((set) => set.some((name) => names.includes(name))).flat()]),
];

/** A catalogue name as a quoted SQL identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Table names of migrations are plain; other tables in the schema do not belong to the product. */
export const isPlainName = (name: string): boolean => /^[a-z_][a-z0-9_]{0,62}$/.test(name);

interface Found {
  name: string;
  parent: string | null;
  bound: string | null;
  key: string | null;
  columns: Column[];
}
const boundText = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/;
/** Converts PostgreSQL's text of an instant under `timezone = 'UTC'` to ISO 8601. */
const instantOf = (text: string): string =>
  new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();

const rangeOf = ({ name, bound }: Found): Piece['range'] => {
  const match = boundText.exec(bound ?? '');
  if (!match) throw new Error(`partition ${name} has no range of time`);
  return { from: instantOf(match[1]!), to: instantOf(match[2]!) };
};

/** The tables of the product as they are now, without those of extensions. The session's time zone is UTC. */
export const readTables = async (client: pg.ClientBase): Promise<Table[]> => {
  const { rows } = await client.query<Found>(`
    select c.relname as name, parent.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
      (select a.attname from pg_partitioned_table p join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
        where p.partrelid = c.oid and p.partstrat = 'r' and p.partnatts = 1) as key,
      (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
    left join pg_class parent on parent.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
    order by c.relname`);
  const ours = rows.filter(({ name }) => isPlainName(name));
  return ours
    .filter(({ parent }) => parent === null)
    .map((root) => ({
      name: root.name,
      columns: root.columns,
      partitionKey: root.key,
      pieces:
        root.key === null
          ? [{ name: root.name, range: null }]
          : ours
              .filter(({ parent }) => parent === root.name)
              .map((part) => ({ name: part.name, range: rangeOf(part) })),
    }));
};

export const readMigrations = async (client: pg.ClientBase): Promise<string[]> =>
  (await client.query<{ name: string }>('select name from migrations order by name')).rows.map(
    ({ name }) => name,
  );

/** Sequences, with the table of their column. */
export const readSequences = async (client: pg.ClientBase): Promise<Sequence[]> =>
  (
    await client.query<Sequence>(`
      select s.relname as name, t.relname as table from pg_class s
      left join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.refobjsubid > 0
        and d.deptype in ('a', 'i')
      left join pg_class t on t.oid = d.refobjid
      where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace order by s.relname`)
  ).rows.filter(({ name }) => isPlainName(name));

/** Settings that make the text format of rows identical for every session and machine. */
export const steadySession = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set statement_timeout = 0; set client_encoding = 'UTF8'`;
