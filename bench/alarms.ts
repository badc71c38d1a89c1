import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { alarmEndpoints } from '#contract/alarms.ts';
import { connect, connectPool, type Db } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { alarmStore } from '#server/alarms/alarms.store.ts';
import { handleAlarms } from '#server/alarms/handle.ts';
import { retally } from '#server/alarms/tallies.ts';
import type { Scope } from '#server/core/scope.ts';
import { furnishEstate } from './estate.ts';
import type { Figure } from './figure.ts';

const size = { projects: 1000, devices: 100_000, alarms: 1_000_000 };
const rounds = 20;
const day = 86_400_000;

const everything: Scope = { all: true };
const tenth: Scope = {
  all: false,
  projectIds: Array.from({ length: 100 }, (_, index) => index + 1),
  partIds: [],
  partProjectIds: [],
};

/** Every filter of the list by itself, and some combinations. */
const filters = (now: number): [name: string, body: Record<string, unknown>][] => {
  const ago = (days: number) => new Date(now - days * day).toISOString();
  return [
    ['no filter', {}],
    ['unprocessed', { status: 'unprocessed' }],
    ['processed', { status: 'processed' }],
    ['level 1', { level: 1 }],
    ['level 2', { level: 2 }],
    ['severity 1', { severity: 1 }],
    ['one type', { typeNumber: [301] }],
    ['three types', { typeNumber: [101, 201, 801] }],
    ['a type that never was', { typeNumber: [806] }],
    ['project', { project_id: 77 }],
    ['project name', { project_name: 'Project 77' }],
    ['device', { device_id: 4321 }],
    ['part of a number', { number: '00004321' }],
    ['short part of a number', { number: '05' }],
    ['last day', { from: ago(1) }],
    ['last month', { from: ago(30) }],
    ['whole year', { from: ago(370), to: ago(0) }],
    ['a month long ago', { from: ago(300), to: ago(270) }],
    ['active', { active: true }],
    ['not active', { active: false }],
    ['suppressed', { suppressed: true }],
    ['work order', { work_order: 'W00000000500000' }],
    ['unprocessed alarms of a type', { status: 'unprocessed', level: 2, typeNumber: [301] }],
    ['processed of a project this month', { status: 'processed', project_id: 5, from: ago(30) }],
    ['newest first', { sort: '-time' }],
    ['oldest first', { sort: 'time' }],
    ['200 rows, page 20', { limit: 200, page: 20 }],
    ['page 1,000 of processed', { status: 'processed', page: 1000 }],
  ];
};

const percentile95 = (times: number[]) =>
  times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 1] ?? Number.NaN;

/** p95 of each filter over several rounds; prints one line per filter. */
const lists = async (db: Db, now: number, scope: Scope, who: string): Promise<number> => {
  let worst = 0;
  for (const [name, given] of filters(now)) {
    const body = alarmEndpoints.list.body.parse(given);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now();
      await alarmStore(db, Date.now()).list(body, scope);
      times.push(performance.now() - begun);
    }
    const figure = percentile95(times);
    worst = Math.max(worst, figure);
    console.log(`  ${who}, ${name}: ${figure.toFixed(1)} ms`);
  }
  return worst;
};

/** p95 of the last hundred of a thousand pages that are read in sequence by cursor. */
const deepPages = async (db: Db): Promise<number> => {
  let cursor: string | undefined;
  const times: number[] = [];
  for (let page = 0; page < 200; page++) {
    const body = alarmEndpoints.list.body.parse({ limit: 200, ...(cursor ? { cursor } : {}) });
    const begun = performance.now();
    const answer = await alarmStore(db, Date.now()).list(body, everything);
    times.push(performance.now() - begun);
    cursor = answer.next_cursor ?? undefined;
  }
  return percentile95(times.slice(-100));
};

const batch = async (db: Db): Promise<number> => {
  const { ids } = await alarmStore(db, Date.now()).matching({ status: 'unprocessed' }, everything, 9_999);
  const actor = { userId: 1, scope: everything, channel: 'web', now: Date.now() };
  const begun = performance.now();
  await db
    .transaction()
    .execute((trx) => handleAlarms(trx, actor, { ids: ids.slice(0, 10_000) }, { content: 'checked' }));
  return performance.now() - begun;
};

/** The alarm list and batch handling at 100,000 devices and 1,000,000 alarms, in a separate database. */
export const run = async (): Promise<Figure[]> => {
  const folder = join(tmpdir(), `ampwatch-bench-alarms-${process.pid}`);
  const given = process.env['BENCH_DATABASE_URL'];
  const postgres = given ? null : await startEmbeddedPostgres({ dataDir: folder });
  const url = given ?? postgres!.url;
  const now = Date.now();
  try {
    await migrate(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ furnished: boolean }>(
      'select exists (select from devices) as furnished',
    );
    if (!rows[0]?.furnished) await furnishEstate(client, size, new Date(now));
    await client.end();
    const pool = connectPool(url, 4);
    await retally(pool);
    const db = connect(pool);
    try {
      await lists(db, now, everything, 'warm-up');
      const list = { unit: 'ms', goal: '≤ 100 ms', anchor: 'ThingsBoard caps at 10,000 entities' };
      const figures: Figure[] = [
        {
          name: 'alarm list, worst p95 of any filter, all projects',
          figure: await lists(db, now, everything, 'all'),
          ...list,
        },
        {
          name: 'alarm list, worst p95 of any filter, a tenth of the projects',
          figure: await lists(db, now, tenth, 'a tenth'),
          ...list,
        },
        { name: 'alarm list, p95 of deep pages by cursor', figure: await deepPages(db), ...list },
        {
          name: 'handling 10,000 alarms',
          figure: await batch(db),
          unit: 'ms',
          goal: '≤ 2,000 ms',
          anchor: '',
        },
      ];
      return figures;
    } finally {
      await db.destroy();
    }
  } finally {
    await postgres?.stop();
    if (!given) await rm(folder, { recursive: true, force: true });
  }
};
