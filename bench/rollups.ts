import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { makeAhead } from '#database/partitions.ts';
import { type Bus, createBus } from '#server/core/bus.ts';
import { createRollups } from '#server/rollups/worker.ts';
import { makeDevices, makeProject } from '#test/factories.ts';
import type { Figure } from './figure.ts';
import { postmasterOf } from './postmaster.ts';
import { processorTime } from './processor-time.ts';
import { scaled } from './scale.ts';

const minuteMs = 60_000;
const messagesPerSecond = 40_000;
const lines = scaled(2000);
/** Rounds that are not counted: the first ones make partitions, plans and rows. */
const warm = 2;
/** Enough rounds that one of them folds the present quarter of an hour. */
const counted = 5;
const start = Date.parse('2026-11-20T02:00:12Z');
const channels = [230, 5.2, 1200, 1, 12, 25, 26, 0, 0, 0, 50, 0, 0, 0];
const kWhAt = (at: number) => ((at - start) / 3_600_000) * 1.2;

/** Stores a minute of readings of each line as the ingest does: the readings, and the newest one of each line. */
const store = async (pool: pg.Pool, from: number, stepSeconds: number): Promise<void> => {
  await pool.query(
    `insert into readings (line_id, at, boot, seq, rx_ms, energy, channels)
     select l.id, at, 1, (extract(epoch from at) - $3)::int, 20, (extract(epoch from at) - $3) / 3600 * 1.2,
       $4::real[]
     from generate_series($1::timestamptz, $1::timestamptz + interval '59.9 seconds', $2 * interval '1 second') at, lines l
     where l.n > 0`,
    [new Date(from), stepSeconds, start / 1000, channels],
  );
  await pool.query(
    `insert into line_latest (line_id, at, received_at, boot, seq, energy, channels)
     select distinct on (line_id) line_id, at, at, boot, seq, energy, channels from readings
     where at >= $1 order by line_id, at desc
     on conflict (line_id) do update set at = excluded.at, received_at = excluded.received_at, seq = excluded.seq,
       energy = excluded.energy`,
    [new Date(from)],
  );
};

/** Reports the same readings in the order in which they come in. */
const report = (bus: Bus, lineIds: readonly number[], from: number, stepSeconds: number): void => {
  for (let at = from; at < from + minuteMs; at += stepSeconds * 1000) {
    const seq = Math.floor((at - start) / 1000);
    const readings = lineIds.map((lineId) => ({
      ...{
        lineId,
        deviceId: lineId,
        n: 1,
        at,
        receivedAt: at + 20,
        boot: 1,
        seq,
        position: null,
        trip: null,
      },
      ...{ lock: null, energy: kWhAt(at), channels, latest: true },
    }));
    bus.emit('readings.stored', readings);
  }
};

/**
 * CPU time of the rollups per message, µs: the rounds (one per minute) in this process and in the whole
 * database, and the share of the ingest. Storing the messages is not included.
 */
const costOf = async (stepSeconds: number): Promise<number> => {
  const folder = join(tmpdir(), `ampwatch-bench-rollups-${process.pid}-${stepSeconds}`);
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  try {
    await migrate(postgres.url);
    const pool = connectPool(postgres.url, 4);
    const db = connect(pool);
    try {
      const project = await makeProject(db);
      await makeDevices(db, lines, project.id);
      await makeAhead(pool, start);
      await pool.query('update devices set upload_seconds = $1', [stepSeconds]);
      await pool.query('vacuum analyze');
      const roots = [process.pid, await postmasterOf(pool)];
      let now = start;
      const bus = createBus((error) => {
        throw error;
      });
      const rollups = createRollups({
        pool,
        bus,
        clock: { now: () => now, steady: () => now, after: () => () => {} },
      });
      const { rows } = await pool.query<{ id: number }>('select id from lines where n > 0 order by id');
      const lineIds = rows.map(({ id }) => id);
      let spent = 0;
      for (let round = 0; round < warm + counted; round += 1) {
        await store(pool, now, stepSeconds);
        now += minuteMs;
        await pool.query('checkpoint');
        const before = processorTime(roots);
        report(bus, lineIds, now - minuteMs, stepSeconds);
        await rollups.round();
        if (round >= warm) spent += processorTime(roots) - before;
      }
      await rollups.stop();
      return spent / (counted * lines * (60 / stepSeconds));
    } finally {
      await db.destroy();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Linux only. */
export const run = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [often, stepSeconds] of [
    ['every second', 1],
    ['every minute', 60],
  ] as const) {
    const microseconds = await costOf(stepSeconds);
    const anchor = `${lines} lines, ${counted} rounds`;
    figures.push(
      {
        name: `rollups of lines that report ${often}: CPU a message, database included`,
        figure: microseconds,
        unit: 'µs',
        goal: '≤ 2.5',
        anchor,
      },
      {
        name: `… at ${messagesPerSecond.toLocaleString('en')} messages/s`,
        figure: (microseconds * messagesPerSecond) / 10_000,
        unit: '% of one core',
        goal: '≤ 10 %',
        anchor,
      },
    );
  }
  return figures;
};
