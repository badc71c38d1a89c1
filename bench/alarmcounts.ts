import { once } from 'node:events';
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
import { alarmStore } from '#server/alarms/alarms.store.ts';
import { alarmSheet } from '#server/alarms/export.ts';
import type { Scope } from '#server/core/scope.ts';
import { sheetFrom, spreadsheet } from '#server/core/spreadsheet.ts';
import { furnishEstate } from './estate.ts';
import type { Figure } from './figure.ts';
import { scaled } from './scale.ts';

const size = { projects: scaled(1000), devices: scaled(100_000), alarms: scaled(1_000_000) };
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

const megabytes = () => process.memoryUsage.rss() / 1024 / 1024;
/** Measures how far memory grows while a client reads the alarm list as an .xlsx and discards the bytes. */
const exportGrowth = async (db: Db): Promise<number> => {
  const write = (most: number) =>
    spreadsheet(
      sheetFrom(
        alarmSheet,
        (async function* () {
          let left = most;
          for await (const row of alarmStore(db, Date.now()).every({}, everything)) {
            if (left-- === 0) return;
            yield row;
          }
        })(),
        'en-US',
        zone,
      ),
    );
  // Writes one sheet first: only the growth after that counts.
  await once(write(50_000).resume(), 'end');
  const before = megabytes();
  let most = before;
  const stream = write(Number.POSITIVE_INFINITY);
  stream.on('data', () => {
    most = Math.max(most, megabytes());
  });
  await once(stream, 'end');
  return most - before;
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
    // Work of the first minutes after a start: past days are closed, then packed.
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
        {
          name: `.xlsx of ${size.alarms.toLocaleString('en')} alarms: growth of memory`,
          figure: await exportGrowth(db),
          unit: 'MB',
          goal: '≤ 100 MB',
          anchor: '',
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
