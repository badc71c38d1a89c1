import { expect, it } from 'vitest';
import { freshDatabase } from '#test/database.ts';
import { connectPool } from './connect.ts';
import { packOld } from './partition-packing.ts';
import { makeAhead } from './partitions.ts';

const dayMs = 86_400_000;

it('packs the indexes of a past day once and keeps every reading', async () => {
  const database = await freshDatabase();
  const pool = connectPool(database.url, 3);
  const now = Date.now();
  const going = new AbortController().signal;
  const yesterday = `readings_${new Date(now - dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const index = async () => {
    const { rows } = await pool.query<{ name: string; node: number; pages: number; valid: boolean }>(
      `select c.relname as name, c.relfilenode as node, pg_relation_size(c.oid) / 8192 as pages, i.indisvalid as valid
       from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass($1)`,
      [yesterday],
    );
    return rows;
  };
  try {
    await makeAhead(pool, now);
    await pool.query(
      `insert into readings (line_id, at, boot, seq, rx_ms, channels)
       select line, date_trunc('day', $1::timestamptz, 'UTC') + m * interval '1 minute', 1, m, 0, '{1}'
       from generate_series(0, 299) m, generate_series(1, 50) line`,
      [new Date(now - dayMs)],
    );
    const before = await index();
    await packOld(pool, now, going);
    const after = await index();
    expect(after).toHaveLength(1);
    expect(after[0]!.valid).toBe(true);
    expect(after[0]!.pages).toBeLessThan(before[0]!.pages);
    await packOld(pool, now, going);
    expect(await index()).toEqual(after);
    const { rows } = await pool.query<{ n: number }>(`select count(*) as n from readings`);
    expect(rows[0]!.n).toBe(15_000);
  } finally {
    await pool.end();
    await database.drop();
  }
});
