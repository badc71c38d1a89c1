import type pg from 'pg';

const dayMs = 86_400_000;
const table = 'rollup_minute';
const textOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
const nameOf = (day: number) => `${table}_${textOf(day).replaceAll('-', '')}`;
const dayOf = (at: number) => Math.floor(at / dayMs);

const there = async (client: pg.ClientBase): Promise<Map<number, string>> => {
  const { rows } = await client.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = $1::regclass and child.relname ~ '_[0-9]{8}$'`,
    [table],
  );
  return new Map(
    rows.map(({ name }) => [
      dayOf(Date.parse(name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3T00:00:00Z'))),
      name,
    ]),
  );
};

/** Makes the partitions of `rollup_minute`, a UTC day each, for all of these instants. Inside a transaction; several nodes may be at it. */
export const ensureRollupDays = async (client: pg.ClientBase, instants: Iterable<number>): Promise<void> => {
  const wanted = new Set([...instants].map(dayOf));
  const known = await there(client);
  const missing = [...wanted].filter((day) => !known.has(day));
  if (missing.length === 0) return;
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [`partitions ${table}`]);
  const made = await there(client);
  for (const day of missing.filter((one) => !made.has(one))) {
    await client.query(`create table ${nameOf(day)} (like ${table} including all)`);
    await client.query(
      `alter table ${table} attach partition ${nameOf(day)}
       for values from ('${textOf(day)}T00:00:00Z') to ('${textOf(day + 1)}T00:00:00Z')`,
    );
  }
};
