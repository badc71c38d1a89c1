import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { lineChannels } from '#contract/telemetry.ts';
import { longestReplayDays, mostReplayLines, mostTriedLines } from '#contract/what-if.ts';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { dayOf, makeDays } from '#database/partitions.ts';
import { replayLines } from '#server/alarms/what-if/what-if.ts';
import type { Figure } from './figure.ts';

const dayMs = 86_400_000;
const type = 3;
/** The number of parallel calls that the console makes. */
const lanes = 2;

/** A month of one reading per minute: a voltage that sometimes oscillates around its early limit. */
const furnish = async (client: pg.Client, now: Date): Promise<number[]> => {
  await client.query(
    `insert into devices (number, name, type, secret_hash, registered_at)
     select 'WHATIF' || lpad(d::text, 4, '0'), 'Board ' || d, $2::int, '\\x00'::bytea, $3 from generate_series(1, $1::int) d`,
    [mostTriedLines, type, now],
  );
  const { rows } = await client.query<{ id: number; n: number }>(
    `insert into lines (device_id, n, name, poles, switchable, created_at)
     select id, n, 'L' || n, 1, true, registered_at from devices, generate_series(0, 1) n order by id, n returning id, n`,
  );
  const ids = rows.filter(({ n }) => n === 1).map(({ id }) => id);
  const voltage = lineChannels[type].indexOf('U.a') + 1;
  await client.query(
    `insert into readings (at, line_id, boot, seq, rx_ms, position, trip, channels)
     select $2::timestamptz - m * interval '1 minute', l, 1, $3::int - m, 0, 1, 0,
       (select array_agg((case when x = $4 then 222 + 16 * sin(m / 400.0 + l) + (m * 7919 + l) % 5 else x * 1.5 end)::real)
        from generate_series(1, $5::int) x)
     from unnest($1::int[]) l, generate_series(1, $3::int) m`,
    [ids, now, longestReplayDays * 1440, voltage, lineChannels[type].length],
  );
  await client.query('vacuum analyze readings');
  return ids;
};

/** Tests one limit on 30 days of 100 lines with the calls of the console, in a separate database. */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-what-if-${process.pid}`);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  const now = new Date();
  const client = new pg.Client({ connectionString: postgres.url });
  const pool = connectPool(postgres.url, 4);
  const db = connect(pool);
  try {
    await migrate(postgres.url);
    const days = Array.from({ length: longestReplayDays + 2 }, (_, index) => dayOf(now.getTime()) - index);
    await makeDays(pool, 'readings', days);
    await client.connect();
    const ids = await furnish(client, now);
    const batches = Array.from({ length: ids.length / mostReplayLines }, (_, index) =>
      ids.slice(index * mostReplayLines, (index + 1) * mostReplayLines),
    );
    const body = { typeNumber: 101, key: 'ov_w', value: 245, days: longestReplayDays, chart: false };
    const work = { databaseUrl: postgres.url, now: now.getTime(), signal: new AbortController().signal };
    let readings = 0;
    let found = 0;
    const lane = async () => {
      for (let line_ids = batches.shift(); line_ids; line_ids = batches.shift())
        for (const line of (await replayLines(db, { all: true }, { ...body, line_ids }, work)).lines) {
          readings += line.readings;
          found += line.before.raised;
        }
    };
    const before = process.cpuUsage();
    const begun = performance.now();
    await Promise.all(Array.from({ length: lanes }, lane));
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(before);
    const expected = ids.length * longestReplayDays * 1440;
    if (readings < expected * 0.99 || found === 0)
      throw new Error(`judged ${readings} of ${expected} readings, ${found} alarms`);
    return [
      {
        name: `what-if over ${longestReplayDays} days of ${ids.length} lines, ${dayMs / 60_000} readings a day each`,
        figure: seconds,
        unit: 's',
        goal: '≤ 10 s',
        anchor: '',
      },
      {
        name: '… processor time of the server, without the database',
        figure: (user + system) / 1e6,
        unit: 's',
        goal: '',
        anchor: '',
      },
    ];
  } finally {
    await client.end();
    await db.destroy();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
