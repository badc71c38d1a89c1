import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { furnishEstate } from './estate.ts';
import type { Figure } from './figure.ts';
import { scaled } from './scale.ts';

/** The first migration whose time is taken: those before it make the estate. */
const first = '0250';
const now = new Date('2026-11-20T02:00:00Z');

/** The time that the newest migrations take on a large estate, during which no node serves. */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-upgrade-${process.pid}`);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  try {
    const names = await readdir(new URL('../database/migrations/', import.meta.url));
    await migrate(postgres.url, undefined, { only: names.filter((name) => name < first) });
    const pool = connectPool(postgres.url, 2);
    try {
      const client = await pool.connect();
      const size = { projects: scaled(2000), devices: scaled(50_000), alarms: 1000 };
      await furnishEstate(client, size, now);
      await client.query(
        `insert into rollup_quarter (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_avg)
         select l.id, $1::timestamptz - quarter * interval '15 minutes', 15, 900, 0.5, 0, case when l.id % 7 > 0 then 2000 end
         from generate_series(1, 100) quarter, lines l where l.n > 0`,
        [now],
      );
      await client.query(
        `insert into rollup_month (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_avg)
         select l.id, $1::timestamptz - month * interval '30 days', 15, 900, 0.5, 0, case when l.id % 7 > 0 then 2000 end
         from generate_series(1, 24) month, lines l where l.n > 0`,
        [now],
      );
      await client.query(
        `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w)
         select p.id, 0, $1::timestamptz - interval '3 days' - quarter * interval '15 minutes', 100, 90000, 12.5, 0, case when p.id % 7 > 0 then 50000 end
         from generate_series(1, 4000) quarter, projects p`,
        [now],
      );
      await client.query(
        `insert into device_past_owners (device_id, project_id, until)
         select id, 1 + id % $2, $1::timestamptz - interval '12 hours' from devices where id % 20 = 0`,
        [now, size.projects],
      );
      await client.query('vacuum analyze');
      client.release();
    } finally {
      await pool.end();
    }
    const begun = performance.now();
    await migrate(postgres.url);
    return [
      {
        name: 'migrations since 0250 of 100,000 lines',
        figure: (performance.now() - begun) / 1000,
        unit: 's',
        goal: '',
        anchor: 'docs/decisions/0485',
      },
    ];
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
