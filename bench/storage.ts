import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import { connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { packOld } from '#database/partition-packing.ts';
import { makeAhead } from '#database/partitions.ts';
import type { Figure } from './figure.ts';

const lines = 500;
const types: readonly DeviceType[] = [3, 4];

/**
 * A day of full channel sets per minute, in the order in which devices report; at the end of the day, bytes
 * on disk per value.
 */
export const run = async (): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const pool = connectPool(postgres.url, 2);
  try {
    await migrate(postgres.url);
    await makeAhead(pool, Date.now());
    const figures: Figure[] = [];
    for (const [day, type] of types.entries()) {
      const channels = lineChannels[type].length;
      await pool.query('truncate readings');
      for (let minute = 0; minute < 1440; minute += 60)
        await pool.query(
          `insert into readings (line_id, at, boot, seq, rx_ms, position, trip, lock, energy, channels)
           select line, date_trunc('day', now(), 'UTC') + $4 * interval '1 day' + m * interval '1 minute' + line * interval '0.1 second', 12, 40000 + m,
             120, 1, 0, 0, 15423.71 + m, (select array_agg((random() * 100)::real) from generate_series(1, $1))
           from generate_series($2::int, $2::int + 59) m, generate_series(1, $3) line
           order by m, line`,
          [channels, minute, lines, day],
        );
      await packOld(pool, Date.now() + (day + 1) * 86_400_000, AbortSignal.timeout(600_000));
      await pool.query('vacuum analyze readings');
      const { rows } = await pool.query<{ bytes: number }>(
        `select sum(pg_total_relation_size(inhrelid))::bigint as bytes from pg_inherits where inhparent = 'readings'::regclass`,
      );
      const values = lines * 1440 * (channels + 4); // channels, energy, position, trip, lock
      figures.push({
        name: `bytes a value, device type ${type}, ${channels + 4} values a reading, indexes included`,
        figure: (rows[0]?.bytes ?? 0) / values,
        unit: 'B',
        goal: '≤ 12',
        anchor: 'ThingsBoard on PostgreSQL 163',
      });
    }
    return figures;
  } finally {
    await pool.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
