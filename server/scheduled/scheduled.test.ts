import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScheduled, every, type Scheduled, type TimedWork } from '#server/core/scheduled.ts';
import { makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { scheduledRoutes } from './scheduled.routes.ts';

const hour = 3_600_000;
let world: World;
let admin: Client;
const nodes: Scheduled[] = [];
beforeAll(async () => {
  world = await createWorld((serve) => scheduledRoutes(serve));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
beforeEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  await world.db.deleteFrom('scheduled_jobs').execute();
});
afterAll(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  await world.close();
});

const startNode = async (...works: TimedWork[]) => {
  const node = createScheduled({ ...world, log: pino({ level: 'silent' }) });
  for (const work of works) node.add(work);
  nodes.push(node);
  await node.start();
  return node;
};
const rowOf = async (name: string) => {
  const { data } = await admin.call('/scheduled/list');
  return data.list.find((row: { name: string }) => row.name === name);
};
const ended = (runs: number, name = 'unusedImages') =>
  eventually(async () => {
    const row = await rowOf(name);
    // A node that was busy when the clock advanced has set its timer only afterwards.
    world.clock.advance(100);
    return row?.runs === runs && row.state !== 'running' && row;
  });
const counting = (run: TimedWork['run'] = async () => ({ removed: 3 })) => {
  const work = {
    starts: 0,
    name: 'unusedImages' as const,
    next: every(hour),
    run(given: Parameters<TimedWork['run']>[0]) {
      work.starts += 1;
      return run(given);
    },
  };
  return work;
};

describe('a scheduled job', () => {
  it('a scheduled job runs at once if it never ran, then at its interval, and reports what it did', async () => {
    const work = counting();
    await startNode(work);
    const first = await ended(1);
    expect(first).toMatchObject({ kind: 'timed', state: 'idle', outcome: 'done', result: { removed: 3 } });
    expect(Date.parse(first.next_at)).toBe(Date.parse(first.started_at) + hour);
    world.clock.set(Date.parse(first.next_at) - 1);
    expect(work.starts).toBe(1);
    await ended(2);
    expect(work.starts).toBe(2);
  });

  it('a scheduled job runs once for each due time, whatever the number of nodes', async () => {
    const works = [counting(), counting(), counting()];
    await Promise.all(works.map((work) => startNode(work)));
    const starts = () => works.reduce((sum, work) => sum + work.starts, 0);
    let row = await ended(1);
    for (let runs = 2; runs <= 5; runs += 1) {
      // The clock stops at the due time. The node that begins then has a lease of one minute, which must not
      // expire in the test.
      world.clock.set(Date.parse(row.next_at));
      row = await ended(runs);
      expect(starts()).toBe(runs);
    }
  });

  it('a scheduled job runs when role 1 requests it, not twice at once, and is in the operation log', async () => {
    let finish = () => {};
    const work = counting(() => new Promise((resolve) => (finish = () => resolve({ removed: 1 }))));
    await startNode(work);
    await eventually(async () => work.starts === 1);
    expect((await rowOf('unusedImages')).state).toBe('running');
    const refused = await admin.call('/scheduled/run', { name: 'unusedImages' });
    expect([refused.status, refused.msg]).toEqual([409, '该任务正在运行']);
    finish();
    await ended(1);
    const asked = await admin.call('/scheduled/run', { name: 'unusedImages' });
    expect(asked.status).toBe(200);
    await eventually(async () => work.starts === 2);
    finish();
    await ended(2);
    const { outcome } = await world.db
      .selectFrom('operation_log')
      .select('outcome')
      .where('key', '=', 'scheduled.run')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(outcome).toBe('done');
  });

  it('a scheduled job that fails reports the reason, and is tried again within five minutes', async () => {
    let fails = true;
    const work = counting(async () => {
      if (fails) throw new Error('the disk is full');
      return {};
    });
    await startNode(work);
    const failed = await ended(1);
    expect(failed).toMatchObject({ outcome: 'failed', error: 'the disk is full', failures: 1 });
    expect(Date.parse(failed.next_at) - world.clock.now()).toBeLessThanOrEqual(5 * 60_000);
    fails = false;
    world.clock.set(Date.parse(failed.next_at));
    expect(await ended(2)).toMatchObject({ outcome: 'done', error: null, failures: 0 });
  });

  it('a scheduled job is run again within five minutes when its node dies during a run', async () => {
    const now = new Date(world.clock.now());
    await world.db
      .insertInto('scheduled_jobs')
      .values({
        name: 'unusedImages',
        holder: '00000000-0000-4000-8000-000000000001',
        held_until: new Date(now.getTime() + 60_000),
        started_at: now,
        next_at: now,
        result: '{}',
      })
      .execute();
    const work = counting();
    await startNode(work);
    expect((await rowOf('unusedImages')).state).toBe('running');
    world.clock.advance(59_000);
    expect(work.starts).toBe(0);
    const lost = await eventually(async () => {
      world.clock.advance(1_000);
      const row = await rowOf('unusedImages');
      return row.outcome === 'lost' && row;
    });
    expect(lost).toMatchObject({ state: 'idle', failures: 1 });
    world.clock.set(Date.parse(lost.next_at));
    expect(await ended(1)).toMatchObject({ outcome: 'done', failures: 0 });
    expect(work.starts).toBe(1);
  });

  it('a scheduled job keeps its lease during a long run, so that no other node begins it', async () => {
    let finish = () => {};
    const long = counting(() => new Promise((resolve) => (finish = () => resolve({}))));
    await startNode(long);
    await eventually(async () => long.starts === 1);
    const other = counting();
    await startNode(other);
    for (let minutes = 0; minutes < 5; minutes += 1) {
      const before = await world.db
        .selectFrom('scheduled_jobs')
        .select('held_until')
        .executeTakeFirstOrThrow();
      world.clock.advance(20_000);
      await eventually(async () => {
        const row = await world.db
          .selectFrom('scheduled_jobs')
          .select('held_until')
          .executeTakeFirstOrThrow();
        return row.held_until!.getTime() > before.held_until!.getTime();
      });
    }
    expect(other.starts).toBe(0);
    finish();
    await ended(1);
  });

  it('a job with its own queue records its rounds, and checks the queue on request', async () => {
    const node = createScheduled({ ...world, log: pino({ level: 'silent' }) });
    let woken = 0;
    const endRun = node.watch('timers', () => {
      woken += 1;
    });
    nodes.push(node);
    await node.start();
    const at = world.clock.now();
    endRun({ startedAt: at, endedAt: at + 40, nextAt: at + hour });
    const row = await ended(1, 'timers');
    expect(row).toMatchObject({ kind: 'queue', outcome: 'done', duration_ms: 40 });
    expect((await admin.call('/scheduled/run', { name: 'timers' })).status).toBe(200);
    await eventually(async () => woken === 1);
    endRun({ startedAt: at, endedAt: at, nextAt: null, error: new Error('no database') });
    expect(await ended(2, 'timers')).toMatchObject({ outcome: 'failed', error: 'no database' });
  });

  it('a job that no node has registered answers 404', async () => {
    expect((await admin.call('/scheduled/run', { name: 'rollups' })).status).toBe(404);
    expect((await admin.call('/scheduled/run', { name: 'nonsense' })).status).toBe(422);
  });
});
