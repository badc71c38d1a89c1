import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NodeFacts } from '#contract/health.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { healthRoutes } from './health.routes.ts';
import { productSamples } from './metrics.ts';
import { createNodeReport } from './report.ts';
import { watchOnce } from './watch.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const plan = { backupDays: 1, drillDays: 7 };
let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve) => {
    healthRoutes(serve, { version: '1.2.3', backupPlan: async () => plan });
    messageRoutes(serve);
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  // Lateness counts from the time of the migrations, so they get the time of the test clock.
  await world.pool.query('update migrations set at = $1', [new Date(world.clock.now())]);
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const table of ['health_problems', 'node_reports', 'scheduled_jobs', 'messages', 'maintenance_jobs'])
    await world.pool.query(`delete from ${table}`);
});

const facts: NodeFacts = {
  ...{ link_ready: true, messages_per_s: 20, acknowledge_ms: 8, waiting: 0, paused: false },
  ...{ device_connections: 4, live_streams: 1, memory_bytes: 2e8, loop_delay_ms: 3 },
  ...{ disk_free_bytes: 5e10, disk_bytes: 1e11, pool_waiting: 0 },
};
const report = (name: string, changed: Partial<NodeFacts> = {}, seenAgo = 0) => {
  const at = new Date(world.clock.now() - seenAgo);
  return world.db
    .insertInto('node_reports')
    .values({
      ...{ node: crypto.randomUUID(), name, role: 'all', version: '1.2.3', started_at: at, seen_at: at },
      facts: JSON.stringify({ ...facts, ...changed }),
    })
    .execute();
};
const backup = (kind: 'backup' | 'drill', agoMs: number, tables: string[] | null = null) =>
  world.pool.query(
    `insert into maintenance_jobs (id, kind, cause, state, operator, created_at, ended_at, tables)
     values (gen_random_uuid(), $1, 'schedule', 'done', '', $2, $2, $3)`,
    [kind, new Date(world.clock.now() - agoMs), tables],
  );
const overview = async () => (await admin.call('/health/overview')).data;
const codes = async () =>
  (await overview()).problems.map(({ code, subject }: { code: string; subject: string }) =>
    `${code} ${subject}`.trim(),
  );
const news = async () =>
  (await admin.call('/system_message/index', {}, { 'accept-language': 'en-US' })).data.list.map(
    ({ title, text }: { title: string; text: string }) => `${title} | ${text}`,
  );

describe('the health of the product', () => {
  it('shows nodes, database, work and backups, and no problem when there is none', async () => {
    await report('one');
    await backup('backup', 3_600_000);
    const seen = await overview();
    expect(seen).toMatchObject({
      version: '1.2.3',
      problems: [],
      nodes: [{ name: 'one', gone: false, facts }],
    });
    expect(seen.database).toMatchObject({ version: expect.stringMatching(/^1\d/), most_connections: 200 });
    expect(seen.database.migration).toMatch(/^\d{4}_/);
    expect(seen.backups.last_at).toBe(new Date(world.clock.now() - 3_600_000).toISOString());
  });

  it.each<[string, Partial<NodeFacts>, number]>([
    ['nodeGone one', {}, 61_000],
    ['linkDown one', { link_ready: false }, 0],
    ['ingestSlow one', { acknowledge_ms: 5001 }, 0],
    ['ingestSlow one', { paused: true }, 0],
    ['diskLow one', { disk_free_bytes: 0.9e9 }, 0],
    ['diskLow one', { disk_free_bytes: 4e9 }, 0],
  ])('reports %s for the node report %j of %i ms ago', async (problem, changed, ago) => {
    await report('one', changed, ago);
    await report('two');
    expect(await codes()).toEqual([problem]);
  });

  it('finds a job that failed twice, a backup of three days ago and an overdue drill', async () => {
    await world.pool.query(
      `insert into scheduled_jobs (name, failures) values ('rollups', 2), ('partitions', 1), ('gone', 9)`,
    );
    await backup('backup', 2 * day + minute);
    await backup('backup', minute, ['users']);
    await backup('drill', 8 * day + minute);
    expect(await codes()).toEqual(['jobFailing rollups', 'backupOld', 'drillOld']);
  });

  it('notifies role 1 once of a problem that lasts two minutes, and of its end', async () => {
    const stranger = await world.as((await makeUser(world.db, { role: 2 })).id);
    await world.pool.query(`insert into scheduled_jobs (name, failures) values ('backup', 2)`);
    const look = () => watchOnce(world.db, world.clock.now(), plan);
    await look();
    expect(await news()).toEqual([]);
    for (let minutes = 0; minutes < 4; minutes += 1) {
      world.clock.advance(minute);
      await look();
    }
    const unwell = 'Ampwatch needs attention: A scheduled job keeps failing | Backup. See the System page.';
    expect(await news()).toEqual([unwell]);
    expect(Date.parse((await overview()).problems[0].since)).toBe(world.clock.now() - 4 * minute);
    await world.pool.query(`update scheduled_jobs set failures = 0`);
    await look();
    expect(await news()).toEqual(
      ['Back to normal: A scheduled job keeps failing | Backup. ', unwell].map((text) =>
        expect.stringContaining(text.trim()),
      ),
    );
    expect((await stranger.call('/system_message/index')).data.list).toEqual([]);
  });

  it('the health of the product does not notify of a problem that ended before a user was notified', async () => {
    await world.pool.query(`insert into scheduled_jobs (name, failures) values ('backup', 2)`);
    await watchOnce(world.db, world.clock.now(), plan);
    await world.pool.query(`update scheduled_jobs set failures = 0`);
    world.clock.advance(5 * minute);
    await watchOnce(world.db, world.clock.now(), plan);
    expect(await news()).toEqual([]);
    expect(await world.db.selectFrom('health_problems').selectAll().execute()).toEqual([]);
  });

  it('the health of the product is in the metrics, with labels', async () => {
    await report('one', { link_ready: false });
    await world.pool.query(
      `insert into scheduled_jobs (name, failures, ended_at, duration_ms) values ('rollups', 3, $1, 250)`,
      [new Date(world.clock.now())],
    );
    const samples = await productSamples(world.db, world.clock.now(), plan);
    const value = (name: string, labels = {}) =>
      samples.find((each) => each.name === name && JSON.stringify(each.labels) === JSON.stringify(labels))
        ?.value;
    expect(value('problem', { code: 'linkDown', subject: 'one' })).toBe(1);
    expect(value('job_failures', { job: 'rollups' })).toBe(3);
    expect(value('job_duration_seconds', { job: 'rollups' })).toBe(0.25);
    expect(value('nodes')).toBe(1);
    expect(value('database_bytes')).toBeGreaterThan(1_000_000);
  });
});

describe('a node', () => {
  it('a node reports its state every 15 seconds, and deletes its row at the end', async () => {
    const counts = {
      messages: 0,
      acknowledged: 0,
      acknowledgeMs: 0,
      waiting: 2,
      paused: false,
      connections: 7,
    };
    const node = createNodeReport({
      ...{ db: world.db, clock: world.clock, log: pino({ level: 'silent' }), role: 'link', version: '1.2.3' },
      ...{ pool: world.pool, dataDir: import.meta.dirname, linkReady: () => true, liveStreams: () => null },
      linkCounts: () => ({ ...counts }),
    });
    node.start();
    const read = async () => (await overview()).nodes[0];
    const first = await eventually(read);
    expect(first).toMatchObject({ role: 'link', gone: false });
    expect(first.facts).toMatchObject({ waiting: 2, device_connections: 7, live_streams: null });
    const second = await eventually(async () => {
      // A report covers the time since the previous one, so each interval of 15 seconds gets the same counts.
      counts.messages += 500;
      counts.acknowledged += 400;
      counts.acknowledgeMs += 4000;
      world.clock.advance(15_000);
      const row = await read();
      return row.facts.acknowledge_ms === 10 && row;
    });
    expect(second.facts.messages_per_s).toBeGreaterThan(0);
    expect(second.facts.disk_free_bytes).toBeGreaterThan(0);
    await node.stop();
    expect((await overview()).nodes).toEqual([]);
  });

  it('a node replaces the report of a node of its role that was killed on this computer', async () => {
    const killed = spawn(process.execPath, ['-e', '']);
    await once(killed, 'exit');
    const [gone, other, elsewhere] = [`${hostname()}:${killed.pid}`, 'other', `elsewhere:${killed.pid}`];
    for (const name of [gone, other, elsewhere]) await report(name, {}, 61_000);
    const node = createNodeReport({
      ...{ db: world.db, clock: world.clock, log: pino({ level: 'silent' }), role: 'all', version: '1.2.3' },
      ...{ pool: world.pool, dataDir: import.meta.dirname, linkReady: () => true, liveStreams: () => null },
      linkCounts: () => null,
    });
    node.start();
    const mine = `${hostname()}:${process.pid}`;
    const names = async () => (await overview()).nodes.map(({ name }: { name: string }) => name);
    await eventually(async () => (await names()).includes(mine));
    expect((await names()).sort()).toEqual([other, elsewhere, mine].sort());
    expect(await codes()).toEqual([`nodeGone ${elsewhere}`, `nodeGone ${other}`]);
    await node.stop();
  });
});
