import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { template, urlFor } from '#test/postgres.ts';

/**
 * See docs/decisions/0013-tables-that-grow.md. Table → time column of its partitions, if it is partitioned.
 */
const growing: Readonly<Record<string, string | null>> = {
  readings: 'at',
  rollup_minute: 'bucket',
  rollup_quarter: 'bucket',
  rollup_hour: 'bucket',
  rollup_day: 'bucket',
  rollup_month: 'bucket',
  alarms: null,
  alarm_history: null,
  alarm_events: null,
  position_events: null,
};
const names = Object.keys(growing);
let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: urlFor(inject('postgresUrl'), template) });
  await client.connect();
});
afterAll(() => client.end());

it('every unique index of a table that grows has line_id first, and the time where the table is partitioned', async () => {
  const { rows } = await client.query<{ table: string; index: string; columns: string[] }>(
    `select t.relname as table, i.relname as index,
       array(select a.attname::text from unnest(x.indkey::int[]) with ordinality k (n, place)
         join pg_attribute a on a.attrelid = t.oid and a.attnum = k.n order by k.place) as columns
     from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where x.indisunique and t.relname = any($1)`,
    [names],
  );
  expect([...new Set(rows.map((row) => row.table))].sort()).toEqual([...names].sort());
  for (const { table, index, columns } of rows) {
    expect(columns[0], index).toBe('line_id');
    const time = growing[table];
    if (time) expect(columns, index).toContain(time);
  }
});

it('no foreign key points to a table that grows', async () => {
  const { rows } = await client.query(
    `select conname from pg_constraint where contype = 'f' and confrelid::regclass::text = any($1)`,
    [names],
  );
  expect(rows).toEqual([]);
});

it('no table that grows has a trigger', async () => {
  const { rows } = await client.query(
    'select tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text = any($1)',
    [names],
  );
  expect(rows).toEqual([]);
});

it('every upsert into a growing table takes times and ids as parameters', () => {
  const root = path.resolve(import.meta.dirname, '..');
  const sources = ['server', 'database'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => path.join(root, folder, file)),
  );
  const found = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/do update set[^`]*/gi)]
      .filter(([clause]) => /\b(now|gen_random_uuid|clock_timestamp)\(\)/i.test(clause))
      .map(() => path.relative(root, file)),
  );
  expect(found).toEqual([]);
});
