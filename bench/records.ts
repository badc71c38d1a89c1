import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { buildApp } from '#server/app.ts';
import { createBus } from '#server/core/bus.ts';
import { createLive } from '#server/core/live.ts';
import { openSession } from '#server/core/session.ts';
import { bindAll } from '#test/all-features.ts';
import { fakeClock } from '#test/clock.ts';
import { furnishEstate } from './estate.ts';
import { furnishChineseNames } from './estate-names.ts';
import { furnishPeople } from './estate-people.ts';
import type { Figure } from './figure.ts';

/** RECORDS_SHARE: share of the full size, for a quick run. */
const share = Number(process.env['RECORDS_SHARE'] ?? 1);
const part = (full: number) => Math.max(50, Math.round(full * share));
const estate = { projects: part(10_000), devices: part(100_000), alarms: part(100_000) };
const people = {
  ...{ users: part(50_000), persons: part(20_000), feedback: part(50_000) },
  ...{ maintenance: part(100_000), logRows: part(10_000_000) },
};
const rounds = Number(process.env['RECORDS_ROUNDS'] ?? 40);
/** RECORDS_LISTS: only the lists with these names in the first column ('users,roles'). */
const wanted = process.env['RECORDS_LISTS']?.split(',');
const goalMs = 100;
const dayMs = 86_400_000;

type Call = readonly [list: string, what: string, path: string, body: object];

/** Measures one list: its first page, its last page, and the other given calls. */
const list = (
  name: string,
  path: string,
  rows: number,
  more: Readonly<Record<string, object>> = {},
): Call[] => [
  [name, 'first page', path, {}],
  [name, 'last page', path, { page: Math.max(1, Math.floor(rows / 20) - 1) }],
  [name, '200 rows', path, { limit: 200, page: 2 }],
  ...Object.entries(more).map(([what, body]): Call => [name, what, path, body]),
];
const callsAt = (now: number, roleId: number): Call[] => {
  const before = (days: number) => new Date(now - days * dayMs).toISOString();
  const calls: Call[] = [
    ...list('users', '/user/get_list', people.users, {
      'by name': { sort: 'username' },
      'by nickname, last page': { sort: '-nickname', page: Math.floor(people.users / 20) - 1 },
      'part of a name': { search: '张伟1' },
      'part of a phone': { search: '3791' },
      'found nowhere': { search: 'nobody has this' },
      'one role': { role_id: roleId },
      disabled: { status: 'disabled' },
      'one project': { project_id: 77 },
      'one region': { region_id: 120_000 },
    }),
    ...list('personnel', '/person/get_list', people.persons, {
      'by name': { sort: 'name' },
      'part of a name': { search: 'Maria1' },
      'one project': { project_id: 77 },
    }),
    ['roles', 'all', '/role/get_list', {}],
    ...list('operation log', '/operation_log/get_list', Math.min(people.logRows, 10_000), {
      'oldest first': { sort: 'time' },
      'a day of half a year ago': { from: before(183), to: before(182) },
      'a month of half a year ago': { from: before(210), to: before(180) },
      'since a month': { from: before(30) },
      'one operator': { operator: 'user000777' },
      'operators by part of a name': { operator: '王芳' },
      'one kind of act': { key: 'alarm' },
      'one key, refused': { key: 'session.signIn', outcome: 'refused' },
      refused: { outcome: 'refused' },
      'one project': { project_id: 77 },
      'one project, a month of half a year ago': { project_id: 77, from: before(210), to: before(180) },
      'one device': { device_id: 4321 },
      'one act in a month of half a year ago': { key: 'device.edit', from: before(210), to: before(180) },
    }),
    ...list('feedback', '/feedback/get_list', people.feedback, {
      'oldest first': { sort: 'time' },
      unanswered: { answered: 'no' },
      'one kind': { type: 'question' },
      'by writer': { nickname: '张伟1' },
      'a month': { from: before(60), to: before(30) },
    }),
    ...list('maintenance', '/maintenance/get_list', people.maintenance, {
      'oldest first': { sort: 'maintenance_time' },
      'one project': { project_id: 77 },
      'one kind': { kind: 'repair' },
      'part of a number': { device_number: '004321' },
      'by handler': { handler: 'Handler 77' },
      'part of a text': { keyword: 'Work on 777' },
      'a month': { from: before(60), to: before(30) },
    }),
    ...list('projects', '/Project/get_project_list', estate.projects, {
      'by name': { sort: 'name' },
      'by date, last page': { sort: '-joined_at', page: Math.floor(estate.projects / 20) - 1 },
      'part of a name': { project_name: 'Project 77' },
      'one region': { region_id: 120_000 },
    }),
    ...list('devices', '/Device/get_device_list', estate.devices * 0.95, {
      'part of a number': { number: '4321' },
      'project name': { project_name: 'Project 77' },
      'offline by last seen': { status: 'offline', sort: '-last_seen' },
      'by status': { sort: 'status' },
      'one type, unbound': { type: 3, bound: false },
    }),
    ...[
      ...['DEV0000', '004321', 'Device 77', 'Project 123', 'user0001', '张伟', '3791', 'zw'],
      ...[
        'Maria1',
        'nobody has this',
        '万达',
        '库',
        '万达广场12号',
        '深圳湾',
        'shenzhen',
        'szw',
        'wdgc',
        'wanda',
        'zh',
      ],
      // Syllables and first letters mixed, as people type them.
      ...['wandagc', 'wdguangc', 'shenzw', 'kejy', 'zongjx', 'xiaofb', 'chongdz', 'dlnkjy', 'wdgch'],
    ].map((text): Call => ['search', text, '/search/find', { text }]),
  ];
  return calls.filter(([name]) => wanted?.includes(name) ?? true);
};

/** A user who sees everything, and one who sees a tenth of the projects and has every letter. */
const tokenOf = async (db: Db, code: number, projects: number, now: number): Promise<string> => {
  const role = await db.selectFrom('roles').select('id').where('code', '=', code).executeTakeFirstOrThrow();
  const { id } = await db
    .insertInto('users')
    .values({
      username: `bench-${code}-${process.pid}`,
      ...{
        password_hash: '',
        password_changed_at: new Date(now),
        role_id: role.id,
        created_at: new Date(now),
      },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (projects > 0)
    await db
      .insertInto('user_projects')
      .values(Array.from({ length: projects }, (_, index) => ({ user_id: id, project_id: index + 1 })))
      .execute();
  return (await openSession(db, id, now, { address: '', agent: 'bench' })).token;
};

const furnished = async (url: string, now: Date): Promise<void> => {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ there: boolean }>('select exists (select from feedback) as there');
  if (!rows[0]!.there) {
    await furnishEstate(client, estate, now);
    await furnishPeople(client, people, now);
    await furnishChineseNames(client, url);
  }
  await client.end();
};

/** Every list of the console and the search over HTTP, with as many records as the product has to bear. */
const measure = async (url: string, now: number): Promise<Figure[]> => {
  const pool = connectPool(url, 10);
  const db = connect(pool);
  const bus = createBus(() => {});
  const clock = fakeClock(now);
  const live = createLive();
  const log = pino({ level: 'error' });
  const deps = { db, pool, bus, clock, live, log, trustProxy: false as const, version: 'bench' };
  const app = await buildApp(deps, (serve, made) =>
    bindAll(serve, { db, pool, databaseUrl: url, bus, clock, live, app: made }),
  );
  const { id: roleId } = await db
    .selectFrom('roles')
    .select('id')
    .where('code', '=', 1077)
    .executeTakeFirstOrThrow();
  const callers = [
    ['all', await tokenOf(db, 1, 0, now)],
    ['a tenth', await tokenOf(db, 900, Math.round(estate.projects / 10), now)],
  ] as const;
  const worst = new Map<string, { ms: number; what: string }>();
  console.log('caller\tlist\twhat\trows\tp50 ms\tp95 ms');
  for (const [who, token] of callers)
    for (const [name, what, path, body] of callsAt(now, roleId)) {
      const took: number[] = [];
      let total = '';
      // The first answer fills the caches of PostgreSQL and of the server.
      for (let round = 0; round <= rounds; round++) {
        const begun = performance.now();
        const answer = await app.inject({
          ...{ method: 'POST', url: path, payload: body },
          headers: { authorization: `Bearer ${token}` },
        });
        if (round > 0) took.push(performance.now() - begun);
        if (answer.statusCode !== 200) throw new Error(`${name}, ${what}: ${answer.body}`);
        total = String(answer.json<{ data: { total?: number } }>().data.total ?? '');
      }
      took.sort((a, b) => a - b);
      const at = (place: number) => took[Math.ceil(took.length * place) - 1]!;
      console.log([who, name, what, total, at(0.5).toFixed(1), at(0.95).toFixed(1)].join('\t'));
      if (at(0.95) > (worst.get(name)?.ms ?? 0))
        worst.set(name, { ms: at(0.95), what: `${what}, who sees ${who}` });
    }
  live.stop();
  await app.close();
  await db.destroy();
  return [...worst].map(([name, { ms, what }]) => ({
    name: `${name}: worst p95 (${what})`,
    ...{ figure: ms, unit: 'ms', goal: `≤ ${goalMs} ms` },
    anchor: `${people.users} users, ${people.logRows} log rows, ${estate.projects} projects, ${estate.devices} devices`,
  }));
};

/**
 * Every list and the search at full size. With BENCH_DATABASE_URL it uses that database (filled when empty; the time is
 * that of its newest row), else a new one that it deletes.
 */
export const run = async (): Promise<Figure[]> => {
  const dataDir = join(tmpdir(), `ampwatch-bench-${process.pid}`);
  const own = process.env['BENCH_DATABASE_URL'] ? null : await startEmbeddedPostgres({ dataDir });
  const url = process.env['BENCH_DATABASE_URL'] ?? own!.url;
  try {
    await furnished(url, new Date());
    return await measure(url, Date.now());
  } finally {
    if (own) {
      await own.stop();
      await removeEmbeddedPostgres(dataDir);
    }
  }
};
