import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { connect, connectPool } from '#database/connect.ts';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { buildApp } from '#server/app.ts';
import { createBus } from '#server/core/bus.ts';
import { systemClock } from '#server/core/clock.ts';
import { createLive } from '#server/core/live.ts';
import { openSession } from '#server/core/session.ts';
import { dashboardRoutes } from '#server/dashboard/dashboard.routes.ts';
import { deviceRoutes } from '#server/devices/devices.routes.ts';
import { projectRoutes } from '#server/projects/projects.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { furnishEstate } from './estate.ts';
import type { Figure } from './figure.ts';
import { scaled } from './scale.ts';

const size = { projects: scaled(1000), devices: scaled(100_000), alarms: scaled(1_000_000) };
const rounds = 40;
const goalMs = 100;

/**
 * Lists and dashboard over HTTP at 100,000 devices and 1,000,000 alarms, for a user who sees everything and
 * for one who sees a tenth; the first answer of each call is measured separately. Uses the database of
 * BENCH_DATABASE_URL (filled if empty), else a new one that it deletes.
 */
export const run = async (): Promise<Figure[]> => {
  const dataDir = join(tmpdir(), `ampwatch-bench-${process.pid}`);
  const own = process.env['BENCH_DATABASE_URL'] ? null : await startEmbeddedPostgres({ dataDir });
  const url = process.env['BENCH_DATABASE_URL'] ?? own!.url;
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ furnished: boolean }>(
    'select exists (select from devices) as furnished',
  );
  if (!rows[0]!.furnished) await furnishEstate(client, size, new Date());
  await client.end();

  const pool = connectPool(url, 10);
  const db = connect(pool);
  const bus = createBus(() => {});
  const live = createLive();
  const app = await buildApp(
    {
      db,
      pool,
      bus,
      clock: systemClock,
      live,
      log: pino({ level: 'error' }),
      trustProxy: false,
      version: 'bench',
    },
    (serve) => {
      deviceRoutes(serve);
      dashboardRoutes(serve);
      projectRoutes(serve, { publicUrl: null, provePassword });
    },
  );

  const tokenOf = async (role: number, projects: number): Promise<string> => {
    const { id: roleId } = await db
      .insertInto('roles')
      .values({ code: role, name: `bench ${role}` })
      .onConflict((conflict) => conflict.column('code').doUpdateSet({ name: `bench ${role}` }))
      .returning('id')
      .executeTakeFirstOrThrow();
    const user = await db
      .insertInto('users')
      .values({
        username: `bench-${role}-${process.pid}`,
        password_hash: '',
        password_changed_at: new Date(),
        role_id: roleId,
        created_at: new Date(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (let project_id = 1; project_id <= projects; project_id++)
      await db.insertInto('user_projects').values({ user_id: user.id, project_id }).execute();
    return (await openSession(db, user.id, Date.now(), { address: '', agent: 'bench' })).token;
  };

  const list = '/Device/get_device_list';
  const calls: [name: string, path: string, body: object][] = [
    ['devices, no filter', list, {}],
    ['devices, last page', list, { page: 4900 }],
    ['devices, number 05', list, { number: '05' }],
    ['devices, number 00004321', list, { number: '00004321' }],
    ['devices, project name', list, { project_name: 'Project 77' }],
    ['devices, online', list, { status: 'online' }],
    ['devices, offline by last seen', list, { status: 'offline', sort: '-last_seen' }],
    ['devices, type 3 unbound', list, { type: 3, bound: false }],
    ['devices, bound online type 4', list, { type: 4, bound: true, status: 'online' }],
    ['devices, by name', list, { sort: 'name' }],
    ['devices, by last seen', list, { sort: '-last_seen' }],
    ['devices, by status', list, { sort: 'status' }],
    ['devices, 200 rows', list, { limit: 200, page: 3 }],
    ['device types', '/device_info/devideType', {}],
    ['projects', '/Project/get_project_list', {}],
    ['census', '/index/census', {}],
    ['latest alarms', '/index/getDeviceWarnList', {}],
    ['places', '/index/getProjectPlace', {}],
    ['trend, 92 days', '/index/warin_type_trend', { days: 92 }],
    ['today and yesterday', '/index/waringCensus', {}],
    ['months', '/index/warinCensusGrew', {}],
    ['types, 366 days', '/index/warin_type_spread', { days: 366 }],
  ];

  /** The number of bytes, as transferred, of all calls of the overview. */
  const overviewBytes = async (token: string): Promise<number> => {
    const { setting, census, latest, places, sites, trend, comparison, months, spread } = dashboardEndpoints;
    let bytes = 0;
    for (const { path } of [setting, census, latest, places, sites, trend, comparison, months, spread]) {
      const answer = await app.inject({
        method: 'POST',
        url: path,
        payload: {},
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
      });
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`);
      bytes += answer.rawPayload.length;
    }
    return bytes;
  };
  const everything = await tokenOf(1, 0);
  const overview = await overviewBytes(everything);

  let worst = 0;
  console.log('caller\tcall\tfirst ms\tp50 ms\tp95 ms\tKB');
  for (const [who, token] of [
    ['all', everything],
    ['a tenth', await tokenOf(3, size.projects / 10)],
  ] as const)
    for (const [name, path, body] of calls) {
      const took: number[] = [];
      let bytes = 0;
      for (let round = 0; round < rounds; round++) {
        const begun = performance.now();
        const answer = await app.inject({
          method: 'POST',
          url: path,
          payload: body,
          headers: { authorization: `Bearer ${token}` },
        });
        took.push(performance.now() - begun);
        bytes = answer.rawPayload.length;
        if (answer.statusCode !== 200) throw new Error(`${name}: ${answer.body}`);
      }
      const first = took[0]!;
      const sorted = took.slice(1).sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]!;
      worst = Math.max(worst, at(0.95));
      console.log(
        [
          who,
          name,
          first.toFixed(0),
          at(0.5).toFixed(1),
          at(0.95).toFixed(1),
          (bytes / 1024).toFixed(0),
        ].join('\t'),
      );
    }

  live.stop();
  await app.close();
  await db.destroy();
  if (own) {
    await own.stop();
    await removeEmbeddedPostgres(dataDir);
  }
  return [
    {
      name: `lists and dashboard, ${size.devices.toLocaleString('en')} devices, ${size.alarms.toLocaleString('en')} alarms: worst p95`,
      figure: worst,
      unit: 'ms',
      goal: `≤ ${goalMs} ms`,
      anchor: 'ThingsBoard caps at 10,000 entities',
    },
    {
      name: `data of the overview, ${size.devices.toLocaleString('en')} devices in ${size.projects.toLocaleString('en')} projects, as it travels`,
      figure: overview / 1000,
      unit: 'kB',
      goal: '≤ 100 kB',
      anchor: '',
    },
  ];
};
