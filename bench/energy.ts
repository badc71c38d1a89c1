import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { electricity } from '#server/statistics/electricity.ts';
import { type Asker, energyDetail } from '#server/statistics/energy.ts';
import { loadStatistics } from '#server/statistics/load.ts';
import { makeDevice, makePart, makeProject } from '#test/factories.ts';
import type { Figure } from './figure.ts';

const size = { parts: 10, devices: 125, linesEach: 8 };
const rounds = 20;
const now = Date.parse('2026-12-31T12:00:00+08:00');
const year = { period: 'year' as const, date: '2026-06-01' };

/** A year of each line by day and month, and of the project and its parts by quarter of an hour. */
const fill = async (pool: pg.Pool, projectId: number): Promise<void> => {
  const rollup = (table: string, step: string) => `
    insert into ${table} (line_id, bucket, samples, covered_s, energy_kwh, energy_flags, power_min, power_avg, power_max, first_at)
    select l.id, (d.day at time zone 'Asia/Shanghai'), 1440, extract(epoch from interval '${step}'), 20 + l.id % 30, 0, 100, 900, 4000,
      (d.day at time zone 'Asia/Shanghai')
    from lines l, generate_series(timestamp '2026-01-01', timestamp '2026-12-31', interval '${step}') as d (day) where l.n > 0`;
  await pool.query(`update devices set bound_at = '2025-12-01'`);
  await pool.query(rollup('rollup_day', '1 day'));
  await pool.query(rollup('rollup_month', '1 month'));
  await pool.query(
    `insert into load_quarter (project_id, part_id, bucket, lines, covered_s, energy_kwh, energy_flags, power_w)
     select $1, part, at, 1000, 900000, 250, 0, 1000000 + 300000 * sin(extract(epoch from at) / 13751)
     from (select 0 as part union select id from project_parts) p,
       generate_series(timestamptz '2026-01-01 00:00+08', timestamptz '2026-12-31 12:00+08', interval '15 minutes') as at`,
    [projectId],
  );
  await pool.query('vacuum analyze');
};

const p95 = async (run: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await run();
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
};

/** A year of a project of 1,000 lines. */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-energy-${process.pid}`);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  try {
    await migrate(postgres.url);
    const pool = connectPool(postgres.url, 6);
    const db = connect(pool);
    try {
      const project = await makeProject(db);
      const parts: number[] = [];
      for (let part = 0; part < size.parts; part++) parts.push((await makePart(db, project.id)).id);
      for (let device = 0; device < size.devices; device++)
        await makeDevice(db, {
          project_id: project.id,
          part_id: parts[device % parts.length]!,
          lines: size.linesEach,
        });
      await fill(pool, project.id);
      const asker: Asker = { db, scope: { all: true }, now };
      const about = { project_id: project.id, ...year };
      const shared = { unit: 'ms', goal: '≤ 200 ms', anchor: '' };
      const page = { page: 1, limit: 20 };
      return [
        {
          ...shared,
          name: 'energy details, a year of 1,000 lines, p95',
          figure: await p95(() => energyDetail(asker, { ...about, split: 'line' }, page)),
        },
        {
          ...shared,
          name: 'electricity statistics, a year of 1,000 lines, p95',
          figure: await p95(() => electricity(asker, { ...about, ranking: 'line', limit: 20 })),
        },
        {
          ...shared,
          name: 'load statistics, a year of 1,000 lines, p95',
          figure: await p95(() => loadStatistics(asker, { ...about, compare: 'none' })),
        },
      ];
    } finally {
      await db.destroy();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
