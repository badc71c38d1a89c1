import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { wechatFieldsUnset } from '#contract/notices.ts';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createVault } from '#server/core/vault.ts';
import { changeWays } from '#server/notices/ways.ts';
import { createNotices } from '#server/notices/worker.ts';
import type { Figure } from './figure.ts';

const storm = { alarms: 2000, seconds: 10, devices: 40, contacts: 20 };

/**
 * A storm of 2,000 alarms in ten seconds to twenty recipients, measured from the table row to the sent push.
 */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-notices-${process.pid}`);
  const given = process.env['BENCH_DATABASE_URL'];
  const postgres = given ? null : await startEmbeddedPostgres({ dataDir: folder });
  const url = given ?? postgres!.url;
  const pushes = new Map<string, number>();
  const service = http.createServer((request, response) => {
    pushes.set(request.url ?? '', (pushes.get(request.url ?? '') ?? 0) + 1);
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  const pool = connectPool(url, 6);
  const db = connect(pool);
  try {
    await migrate(url);
    const now = new Date();
    const vault = createVault(randomBytes(32));
    await changeWays(
      db,
      vault,
      {
        app_id: '',
        app_secret: '',
        template_id: '',
        fields: wechatFieldsUnset,
        base_url: 'http://localhost',
        private_targets: true,
        language: 'en-US',
      },
      now.getTime(),
    );
    await pool.query(
      `with r as (insert into regions (id, name, latin, code, first, lat, lng, level, merger_name, pinyin, region_code, shortname, path)
          values (1, 'x', 'x', 'x', 'x', 0, 0, 1, 'x', 'x', 'x', 'x', '/1/') on conflict do nothing),
        role as (insert into roles (code, name) values (1, 'admin') returning id),
        u as (insert into users (username, password_hash, password_changed_at, role_id, created_at)
          select 'bench', '', $1, id, $1 from role returning id),
        p as (insert into projects (code, name, region_id, lat, lng, joined_at) values ('B', 'Bench', 1, 0, 0, $1) returning id),
        d as (insert into devices (number, type, secret_hash, registered_at, project_id)
          select 'BENCH' || lpad(n::text, 4, '0'), 3, '', $1, p.id from p, generate_series(1, $2::int) n returning id),
        l as (insert into lines (device_id, n, created_at) select id, 1, $1 from d)
      insert into notices (name, channel, webhook_url, language, owner_id, created_at, updated_at)
      select 'contact ' || n, 'webhook', $4 || '/' || n, 'en-US', u.id, $1, $1 from u, generate_series(1, $3::int) n`,
      [now, storm.devices, storm.contacts, `http://127.0.0.1:${(service.address() as AddressInfo).port}`],
    );
    const { rows: lines } = await pool.query<{ id: number; device_id: number; project_id: number }>(
      'select l.id, l.device_id, d.project_id from lines l join devices d on d.id = l.device_id',
    );
    const bus = createBus((error) => console.error(error));
    const notices = createNotices({ db, bus, clock: systemClock, vault, log: pino({ level: 'error' }) });
    await notices.start();
    const cpu = process.cpuUsage();
    const ids: number[] = [];
    const perTurn = storm.alarms / (storm.seconds * 10);
    for (let turn = 0; turn < storm.seconds * 10; turn += 1) {
      const begun = performance.now();
      const { rows } = await pool.query<{ id: number; line_id: number; device_id: number }>(
        `insert into alarms (line_id, id, device_id, project_id, code, level, severity, source, work_order, raised_at,
           received_at, last_at, cleared_at, value_type)
         select l.line, nextval('alarm_ids'), l.device, l.project, 107, 2, 1 + (n % 4), 'server', 'W', $4, $4, $4, $4, 1
         from unnest($1::int[], $2::int[], $3::int[]) with ordinality as l (line, device, project, n)
         returning id, line_id, device_id`,
        [
          ...(['id', 'device_id', 'project_id'] as const).map((key) =>
            Array.from({ length: perTurn }, (_, n) => lines[(turn * perTurn + n) % lines.length]?.[key]),
          ),
          new Date(),
        ],
      );
      ids.push(...rows.map((row) => row.id));
      bus.emit(
        'alarms.changed',
        rows.map((row) => ({
          lineId: row.line_id,
          alarmId: row.id,
          deviceId: row.device_id,
          projectId: null,
          partId: null,
          code: 107,
          level: 2,
          severity: 3,
          kind: 'raised',
          quiet: false,
        })),
      );
      await new Promise((done) => setTimeout(done, Math.max(0, 100 - (performance.now() - begun))));
    }
    await new Promise((done) => setTimeout(done, 1500));
    await notices.idle();
    const used = process.cpuUsage(cpu);
    const { rows } = await pool.query<{ notified: number; wait: number }>(
      `select count(distinct (d.alarm_id, d.target)) as notified,
         percentile_cont(0.95) within group (order by extract(epoch from d.created_at - a.received_at) * 1000) as wait
       from deliveries d join alarms a on a.id = d.alarm_id where d.alarm_id = any($1)`,
      [ids],
    );
    await notices.stop();
    const anchor = `${storm.alarms} alarms in ${storm.seconds} s to ${storm.contacts} recipients`;
    return [
      {
        name: 'storm: most pushes to one recipient',
        figure: Math.max(...pushes.values()),
        unit: '',
        goal: '≤ 1',
        anchor,
      },
      {
        name: 'storm: ledger rows missing',
        figure: ids.length * storm.contacts - (rows[0]?.notified ?? 0),
        unit: '',
        goal: '0',
        anchor,
      },
      {
        name: 'storm: alarm to ledger, p95',
        figure: rows[0]?.wait ?? Number.NaN,
        unit: 'ms',
        goal: '≤ 2,000 ms (1,000 of them gathering)',
        anchor,
      },
      {
        name: 'storm: server CPU per alarm and recipient',
        figure: (used.user + used.system) / (ids.length * storm.contacts),
        unit: 'µs',
        goal: '≤ 100 µs',
        anchor,
      },
    ];
  } finally {
    await db.destroy();
    service.closeAllConnections();
    service.close();
    await postgres?.stop();
    if (!given) await rm(folder, { recursive: true, force: true });
  }
};
