import type pg from 'pg';
import { quoted } from '#database/backup/catalogue.ts';

export interface Finding {
  table: string;
  constraint: string;
  kind: 'foreign' | 'check' | 'notNull';
  rows: number;
}
interface Constraint {
  name: string;
  kind: Finding['kind'];
  table: string;
  columns: string[];
  /** For a foreign key: the table that it refers to. */
  target: string | null;
  targetColumns: string[] | null;
  /** For a check: its expression from the catalogue. */
  expression: string | null;
}

/** Constraints of a table with the data needed to find rows that violate them. */
export const constraintsOf = async (client: pg.ClientBase, table: string): Promise<Constraint[]> =>
  (
    await client.query<Constraint>(
      `select c.conname as name, case c.contype when 'f' then 'foreign' when 'c' then 'check' else 'notNull' end as kind,
         t.relname as table,
         array(select a.attname::text from unnest(c.conkey) with ordinality k (n, place)
           join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.place) as columns,
         to_table.relname as target,
         case when c.contype = 'f' then array(select a.attname::text from unnest(c.confkey) with ordinality k (n, place)
           join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.place) end as "targetColumns",
         case when c.contype = 'c' then pg_get_expr(c.conbin, c.conrelid) end as expression
       from pg_constraint c join pg_class t on t.oid = c.conrelid
       left join pg_class to_table on to_table.oid = c.confrelid
       where t.relnamespace = 'public'::regnamespace and t.relname = $1 and c.contype in ('f', 'c')
       union all
       select a.attname || ' not null', 'notNull', t.relname, array[a.attname::text], null, null, null
       from pg_attribute a join pg_class t on t.oid = a.attrelid
       where t.relnamespace = 'public'::regnamespace and t.relname = $1 and a.attnum > 0 and a.attnotnull
         and not a.attisdropped`,
      [table],
    )
  ).rows;

const conditionOf = ({ kind, columns, target, targetColumns, expression }: Constraint): string => {
  if (kind === 'check') return `not (${expression})`;
  if (kind === 'notNull') return `row.${quoted(columns[0]!)} is null`;
  const isSet = columns.map((name) => `row.${quoted(name)} is not null`).join(' and ');
  const same = columns.map((name, index) => `aim.${quoted(targetColumns![index]!)} = row.${quoted(name)}`);
  return `${isSet} and not exists (select from public.${quoted(target!)} aim where ${same.join(' and ')})`;
};

/** Rows that violate a constraint. It uses no indexes, because these may be damaged. */
export const countViolations = async (client: pg.ClientBase, constraint: Constraint): Promise<number> => {
  await client.query(
    'begin read only; set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off',
  );
  try {
    const { rows } = await client.query<{ n: number }>(
      `select count(*) as n from public.${quoted(constraint.table)} row where ${conditionOf(constraint)}`,
    );
    return Number(rows[0]!.n);
  } finally {
    await client.query('rollback');
  }
};
