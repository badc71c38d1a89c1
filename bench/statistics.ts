import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { alarmStatisticsEndpoints } from '#contract/alarm-statistics.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { alarmStatistics } from '#server/alarm-statistics/alarm-statistics.store.ts';
import { packDays } from '#server/alarm-statistics/day-pack.ts';
import type { Scope } from '#server/core/scope.ts';
import { furnishEstate } from './estate.ts';
import type { Figure } from './figure.ts';

const size = { projects: 1000, devices: 100_000, alarms: 1_000_000 };
const rounds = 10;
const everything: Scope = { all: true };
const zone = 'Asia/Shanghai';

const p95 = async (db: Db, given: Record<string, unknown>): Promise<number> => {
  const asked = alarmStatisticsEndpoints.statistics.body.parse(given);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await alarmStatistics(db, everything, { asked, zone, now: Date.now(), most: 20 });
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;
};

/** Statistics at 100,000 devices and 1,000,000 alarms of a year, in a separate database. */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-statistics-${process.pid}`);
  const given = process.env['BENCH_DATABASE_URL'];
  const postgres = given ? null : await startEmbeddedPostgres({ dataDir: folder });
  const url = given ?? postgres!.url;
  try {
    await migrate(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ furnished: boolean }>(
      'select exists (select from devices) as furnished',
    );
    if (!rows[0]?.furnished) await furnishEstate(client, size, new Date());
    await client.query('vacuum analyze alarms');
    await client.end();
    const db = connect(connectPool(url, 4));
    // The work of the first minutes after a start: past days are closed, then packed.
    await packDays(db, Date.now());
    const packing = performance.now();
    const days = await packDays(db, Date.now() + 5 * 60_000);
    const packedMs = (performance.now() - packing) / Math.max(1, days);
    const first_day = new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10);
    try {
      const anchor = { unit: 'ms', anchor: '' };
      return [
        { name: 'packing the alarms of a day', figure: packedMs, goal: '', ...anchor },
        {
          name: 'alarm statistics, last week, p95',
          figure: await p95(db, { range: 'week' }),
          goal: '≤ 200 ms',
          ...anchor,
        },
        {
          name: 'alarm statistics, three months, p95',
          figure: await p95(db, { range: 'quarter' }),
          goal: '≤ 500 ms',
          ...anchor,
        },
        {
          name: 'alarm statistics, a year of one project, p95',
          figure: await p95(db, { first_day, project_id: 77 }),
          goal: '≤ 200 ms',
          ...anchor,
        },
        {
          name: 'alarm statistics, a year of all, p95',
          figure: await p95(db, { first_day }),
          goal: '≤ 2,000 ms',
          ...anchor,
        },
      ];
    } finally {
      await db.destroy();
    }
  } finally {
    await postgres?.stop();
    if (!given) await rm(folder, { recursive: true, force: true });
  }
};
