/** Who is told of what, compared with the domain reference §3.2 rules 7 and 8 over random histories. */
import fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '#server/alarms/alarms.world.ts';
import { writeSetting } from '#server/core/settings.ts';
import { start } from '#test/alarm-feeder.ts';
import { type StandIn, standIn } from '#test/stand-in.ts';
import { testVault } from '#test/vault.ts';
import { createNotices, type Notices } from './worker.ts';

let server: AlarmWorld;
let service: StandIn;
beforeAll(async () => {
  service = await standIn();
  server = await createAlarmWorld();
  await writeSetting(server.world.db, 'notices', { private_targets: true, language: 'en-US' }, start);
});
afterAll(async () => {
  await server.close();
  await service.close();
});

const minute = 60_000;
const hour = 60 * minute;
const codes = [502, 804, 303];
interface Rule {
  codes?: number[];
  levels?: number[];
  silence_minutes?: number;
  window_from?: string;
  window_to?: string;
}
/** By the path of their webhook. `switched` is switched off and on during a history. */
const rules: Readonly<Record<string, Rule>> = {
  all: {},
  grave: { codes: [502, 701], levels: [2] },
  early: { levels: [1] },
  day: { window_from: '10:10', window_to: '10:00' },
  silent: { silence_minutes: 60 },
  switched: {},
};

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      code: fc.constantFrom(...codes),
      lvl: fc.constantFrom(1 as const, 2 as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('clear' as const), place: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('handle' as const, 'shelve' as const, 'unshelve' as const),
      place: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'kill' as const,
        'switch' as const,
        'planner' as const,
        'receiver' as const,
        'delete' as const,
      ),
    }),
  },
);
/** Minutes until the next step, and whether the bus tells the planner of its changes. */
const steps = fc.array(fc.record({ gap: fc.constantFrom(0.2, 1, 6, 25), isHeard: fc.boolean(), step }), {
  minLength: 8,
  maxLength: 14,
});

interface Alarm {
  id: number;
  code: number;
  level: number;
  severity: number;
  active: boolean;
  processed: boolean;
  deleted: boolean;
  previous: number | null;
}
interface Post {
  path: string;
  kind: string;
  at: number;
  list: readonly { alarm_id: number; active: boolean }[];
}

const play = async (given: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) => {
  const { world } = server;
  const { clock, db, pool } = world;
  clock.set(start);
  await server.renew();
  for (const table of ['deliveries', 'alarm_notices', 'notices'] as const)
    await db.deleteFrom(table).execute();
  for (const [path, rule] of Object.entries(rules))
    await db
      .insertInto('notices')
      .values({
        ...{ channel: 'webhook', webhook_url: `${service.url}/${path}`, language: 'en-US' },
        ...{ owner_id: server.operator.userId, codes: [], levels: [], project_ids: [] },
        ...{ created_at: new Date(start), updated_at: new Date(start), deleted_at: null },
        ...{ window_from: null, window_to: null },
        ...rule,
      })
      .execute();
  const posts: Post[] = [];
  let isUp = true;
  service.answer(({ path, body }) => {
    if (!isUp) return { status: 503 };
    posts.push({ ...JSON.parse(body), path: path.slice(1), at: clock.now() });
    return { status: 200 };
  });
  let notices: Notices | null = null;
  const plan = async (isOn: boolean) => {
    if (isOn === (notices !== null)) return;
    if (notices) await notices.stop();
    notices = isOn ? createNotices({ ...world, log: pino({ level: 'silent' }), vault: testVault }) : null;
    await notices?.start();
  };
  const passes = async (ms: number) => {
    clock.advance(ms);
    await notices?.idle();
    clock.advance(6000);
    await notices?.idle();
  };
  await plan(true);
  let isOff = false;
  const offFrom: [from: number, to: number][] = [];
  const toggle = async () => {
    isOff = !isOff;
    await db
      .updateTable('notices')
      .set({ enabled: !isOff })
      .where('webhook_url', 'like', '%/switched')
      .execute();
    if (isOff) offFrom.push([clock.now(), Number.POSITIVE_INFINITY]);
    else offFrom.at(-1)![1] = clock.now();
  };
  const open: { code: number; lvl: 1 | 2; eid: string }[] = [];
  const shelved: number[] = [];
  const standing = async () =>
    (await pool.query<{ id: number }>('select id from alarms where cleared_at is null order by id')).rows;
  const operator = () => world.as(server.operator.userId);
  for (const [index, { gap, isHeard, step: what }] of given.entries()) {
    await passes(gap * minute);
    const seconds = (clock.now() - start) / 1000;
    let changes: Awaited<ReturnType<AlarmWorld['event']>> = [];
    if (what.kind === 'raise') {
      const event = { code: what.code, lvl: what.lvl, eid: `1-${index}` };
      open.push(event);
      changes = await server.event(seconds, { st: 'raise', ...event, seq: index });
    } else if (what.kind === 'clear') {
      const [event] = open.splice(what.place % Math.max(1, open.length), 1);
      if (event) changes = await server.event(seconds, { st: 'clear', ...event, seq: index });
    } else if (what.kind === 'kill') await server.restart();
    else if (what.kind === 'planner') await plan(notices === null);
    else if (what.kind === 'receiver') isUp = !isUp;
    else if (what.kind === 'switch') await toggle();
    else if (what.kind === 'unshelve') {
      const id = shelved.pop();
      if (id !== undefined) await (await operator()).call('/device_warning/unshelve', { ids: [id] });
    } else if (what.kind === 'delete') {
      const ids = (await pool.query('select id from alarms where processed and cleared_at is not null')).rows;
      if (ids.length > 0)
        await (await operator()).call('/device_warning/del_war', { ids: ids.map(({ id }) => id) });
    } else if (what.kind === 'handle' || what.kind === 'shelve') {
      const rows = await standing();
      const id = rows[what.place % Math.max(1, rows.length)]?.id;
      if (id === undefined) continue;
      const selected = { ids: [id] };
      if (what.kind === 'handle')
        await (await operator()).call('/device_warning/batchHandle', { ...selected, content: 'seen to' });
      else {
        shelved.push(id);
        await (await operator()).call('/device_warning/shelve', {
          ...selected,
          minutes: 60,
          reason: 'works',
        });
      }
    }
    if (isHeard && changes.length > 0) world.bus.emit('alarms.changed', changes);
  }
  isUp = true;
  if (isOff) await toggle();
  await plan(true);
  for (let hours = 0; hours < 3; hours += 1) await passes(hour);
  await plan(false);
  const { rows } =
    await pool.query<Alarm>(`select id, code, level, severity, cleared_at is null as active, processed,
    deleted_at is not null as deleted, previous_id as previous from alarms order by id`);
  const ledger = await pool.query<{ alarm_id: number; path: string; what: string }>(
    `select d.alarm_id, split_part(n.webhook_url, '/', 4) as path,
       concat_ws(' ', d.kind, d.state, d.reason) as what
     from deliveries d join notices n on n.id = d.notice_id order by d.id`,
  );
  return { alarms: rows, posts, ledger: ledger.rows, offFrom };
};

it('every rule hears of every severe alarm that it covers, or its deliveries say why not, and of its end once', async () => {
  let told = 0;
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const { alarms, posts, ledger, offFrom } = await play(given);
      for (const [path, rule] of Object.entries(rules)) {
        const ofRule = posts.filter((post) => post.path === path);
        const namedBy = (id: number, isEnd: boolean) =>
          ofRule.filter(
            ({ kind, list }) =>
              (kind === 'cleared') === isEnd && list.some(({ alarm_id }) => alarm_id === id),
          );
        /** A silence period keeps back what an earlier message has reported. */
        const isTold = (id: number) =>
          namedBy(id, false).length > 0 ||
          ledger.some((row) => row.path === path && row.alarm_id === id && row.what.endsWith(' silence'));
        for (const alarm of alarms) {
          const about = `${path}: ${JSON.stringify(alarm)}`;
          const entries = ledger.filter((row) => row.path === path && row.alarm_id === alarm.id);
          const story = entries.map(({ what }) => what);
          const reports = namedBy(alarm.id, false);
          told += reports.length;
          const covers =
            (rule.codes ?? [alarm.code]).includes(alarm.code) &&
            (rule.levels ?? [alarm.level]).includes(alarm.level);
          // 1. It is told, or its ledger says why not.
          if (covers && alarm.severity <= 2 && !alarm.deleted) {
            const isExcused = story.some((what) =>
              / (handled|shelved|silence|disabled|late)$| failed /.test(what),
            );
            if (!isExcused) expect(reports.length, `${about} told; ${story}`).toBeGreaterThan(0);
            // Nobody has handled it, so nothing but silence or the switch may have kept it back.
            const isFailed = story.some((what) => what.includes(' failed '));
            if (!alarm.processed && !isFailed && path !== 'silent' && path !== 'switched')
              expect(reports.length, `${about} unprocessed; ${story}`).toBeGreaterThan(0);
          }
          // 2. Nobody hears more than an end of what was told, and only of what is over.
          const later = alarms.some(({ previous }) => previous === alarm.id);
          const chain = [alarm.id];
          for (let id = alarm.previous; id !== null; ) {
            chain.push(id);
            id = alarms.find((each) => each.id === id)?.previous ?? null;
          }
          const knew = chain.some((id) => namedBy(id, false).length > 0);
          const clears = namedBy(alarm.id, true).length;
          ends += clears;
          if (alarm.active || later) expect(clears, `${about} over; ${story}`).toBe(0);
          const wasSilent = story.some((what) => what.endsWith(' silence'));
          if (!knew && !wasSilent) expect(clears, `${about} end of nothing; ${story}`).toBe(0);
          // 3. Whoever was told while it was active hears the end.
          const knewActive = chain.some((id) =>
            namedBy(id, false).some(({ list }) => list.some((each) => each.alarm_id === id && each.active)),
          );
          // It returned under another work order, of which the same receiver was told: that one's end is said.
          const returned =
            story.includes('cleared suppressed active_again') &&
            alarms.some((each) => each.code === alarm.code && each.id > alarm.id && isTold(each.id));
          if (knewActive && !alarm.active && !later && !alarm.deleted && !returned)
            expect(clears, `${about} all-clear; ${story}`).toBe(1);
        }
      }
      // 4. A rule that is switched off says nothing but the end of what it said.
      for (const { path, kind, at } of posts)
        if (path === 'switched' && kind !== 'cleared')
          expect(
            offFrom.some(([from, to]) => at > from && at < to),
            `switched off: ${kind}`,
          ).toBe(false);
    }),
    { numRuns: 6, endOnFailure: true, seed: 530 },
  );
  expect(told).toBeGreaterThan(10);
  expect(ends).toBeGreaterThan(0);
});
