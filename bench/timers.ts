import pg from 'pg';
import pino from 'pino';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { createControl } from '#server/control/commands.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createTimers } from '#server/timers/schedule.ts';
import type { Figure } from './figure.ts';

/**
 * 100,000 timers of 100,000 lines; 70 of them come due in one minute (the average share of a minute;
 * BENCH_DUE sets another number). Measures when the last of their commands is written and published. Idle:
 * the processor's share while none is due.
 */
const size = 100_000;
const dueAtOnce = Number(process.env['BENCH_DUE'] ?? 70);
const idleMs = Number(process.env['BENCH_IDLE_MS'] ?? 20_000);
/** Maximum time to fill the database. */
const furnishMs = 40_000;

const furnish = async (url: string, due: Date): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const next = new Date(due.getTime() + 86_400_000);
  await client.query(`
    insert into regions values (1, null, 'r', 'r', '1', 'r', 0, 0, false, 1, 'r', 'r', '1', 'r', '', '/1/');
    insert into roles (code, name) values (1, 'admin');
    insert into projects (code, name, region_id, lat, lng, time_zone, joined_at)
      select 'B' || i, 'Bench ' || i, 1, 0, 0, 'UTC', now() from generate_series(1, 1000) i;
    insert into users (username, password_hash, password_changed_at, role_id, created_at)
      select 'bench', '', now(), id, now() from roles;
    insert into devices (number, type, secret_hash, registered_at, project_id, upload_seconds)
      select 'BENCH' || i, 3, '', now(), 1 + i % 1000, 3600 from generate_series(1, ${size}) i;
    insert into device_state (device_id, online, last_seen) select id, true, now() from devices;
    insert into lines (device_id, n, name, switchable, created_at)
      select id, n, 'Line', n > 0, now() from devices, generate_series(0, 1) n;
    insert into line_latest (line_id, at, received_at, boot, seq, position, position_at, trip, trip_at, lock, lock_at,
        channels)
      select id, now(), now(), 1, 1, 0, now(), 0, now(), 0, now(), '{230,0,0,1,0,5,30,30,30,50}' from lines where n > 0;`);
  await client.query(
    `insert into timers (device_id, line_id, type, days, time, action, enabled, run_by, zone, next_at, author_id, project_id, created_at)
     select device_id, lines.id, 'weekly', 127, $1, case when device_id / ($5::int / $4::int) % 2 = 0 then 'open' else 'close' end, true,
       'server', 'UTC', case when device_id % ($5::int / $4::int) = 0 then $2::timestamptz else $3::timestamptz end, users.id, devices.project_id, now()
     from lines join devices on devices.id = lines.device_id, users where n > 0`,
    [due.toISOString().slice(11, 16), due, next, dueAtOnce, size],
  );
  await client.query('vacuum analyze');
  await client.end();
};

export const run = async (): Promise<Figure[]> => {
  const postgres = await startEmbeddedPostgres({ dataDir: `/tmp/ampwatch-bench-timers-${process.pid}` });
  try {
    await migrate(postgres.url);
    const due = new Date(Math.ceil((Date.now() + furnishMs + idleMs) / 60_000) * 60_000);
    await furnish(postgres.url, due);
    const pool = connectPool(postgres.url, 10);
    const db = connect(pool);
    const log = pino({ level: 'warn' });
    const bus = createBus((error) => log.error(error));
    let lastWritten = 0;
    let lastPublished = 0;
    let fired = 0;
    let published = 0;
    const control = createControl({
      db,
      bus,
      clock: systemClock,
      log,
      raiseFinding: async () => {},
      link: {
        publishCommand: async () => {
          published += 1;
          lastPublished = Date.now();
        },
      },
    });
    const timers = createTimers({ db, bus, clock: systemClock, control, log });
    bus.on('timer.ran', (ran) => {
      if (ran.outcome !== 'fired') throw new Error(`${ran.outcome}: ${ran.reason}`);
      fired += 1;
      lastWritten = Date.now();
    });
    await control.start();
    await timers.start();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const used = process.cpuUsage(before);
    const busy = process.cpuUsage();
    const limit = due.getTime() + 60_000;
    while (
      (fired < Math.floor(size / Math.floor(size / dueAtOnce)) || published < fired) &&
      Date.now() < limit
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
    const spent = process.cpuUsage(busy);
    await timers.stop();
    await control.stop();
    await db.destroy();
    const goal = '≤ 1,000 ms';
    const anchor = 'the minute that was asked for';
    return [
      {
        name: `${fired} of ${size} timers due in one minute: all commands written after`,
        figure: lastWritten - due.getTime(),
        unit: 'ms',
        goal,
        anchor,
      },
      {
        name: `${published} commands published after`,
        figure: lastPublished - due.getTime(),
        unit: 'ms',
        goal,
        anchor,
      },
      {
        name: 'a firing, from due to published, server process',
        figure: (spent.user + spent.system) / 1000 / fired,
        unit: 'ms of CPU',
        goal: '≤ 4 ms',
        anchor: 'a call of one command',
      },
      {
        name: 'idle with 100,000 timers, server process',
        figure: (100 * (used.user + used.system)) / 1000 / idleMs,
        unit: '% of a core',
        goal: '≤ 1 %',
        anchor: 'nothing to do',
      },
    ];
  } finally {
    await postgres.stop();
  }
};
