import { expect, it } from 'vitest';
import { forget } from '#server/core/retention.ts';
import { start } from '#test/alarm-feeder.ts';
import { judgedWorld } from './judged.world.ts';

const hour = 3_600_000;
const house = judgedWorld();
const { alarmOf, ledger, plansAfter } = house;

it.each([
  [403, 3],
  [206, 4],
  [101, 2],
])(
  'announces an active alarm %i that nobody planned for two hours, and says when it was raised',
  async (code, severity) => {
    await house.server.event(0, { st: 'raise', code, eid: '1-1' });
    expect((await house.server.list()).map((row) => row.severity)).toEqual([severity]);
    await plansAfter(2 * hour);
    expect(await ledger(await alarmOf(code))).toEqual(['raised accepted']);
    expect(JSON.parse(house.service.heard[0]!.body).text).toContain('(raised 2026-11-20 10:00)');
  },
);
it.each([403, 101])(
  'announces alarm %i that ended before anybody planned its notices, and its end',
  async (code) => {
    await house.server.event(0, { st: 'raise', code, eid: '1-1' });
    await house.server.event(90, { st: 'clear', code, eid: '1-1' });
    await plansAfter(2 * hour);
    expect(await ledger(await alarmOf(code))).toEqual(['raised accepted', 'cleared accepted']);
  },
);
it('says why nobody was notified of an alarm that was handled before its notices were planned', async () => {
  await house.server.event(0, { st: 'raise', code: 403, eid: '1-1' });
  await house.server.event(90, { st: 'clear', code: 403, eid: '1-1' });
  await house.server.handleAll();
  await plansAfter(2 * hour);
  expect(await ledger(await alarmOf(403))).toEqual(['raised suppressed handled']);
  expect(house.service.heard).toEqual([]);
});
it('announces a former consequence that appeared and ended before anybody planned its notices', async () => {
  await house.server.event(0, { st: 'raise', code: 109, eid: '1-1' });
  await house.server.event(1, { st: 'raise', code: 201, eid: '1-2' });
  const consequence = (await house.server.world.pool.query('select id from alarms where code = 201')).rows[0]
    .id;
  await plansAfter(60_000);
  expect([await ledger(await alarmOf(109)), await ledger(consequence)]).toEqual([['raised accepted'], []]);
  await house.server.event(120, { st: 'clear', code: 109, eid: '1-1' });
  await house.server.event(130, { st: 'clear', code: 201, eid: '1-2' });
  await plansAfter(2 * hour);
  expect(await ledger(consequence)).toEqual(['raised accepted', 'cleared accepted']);
});
it('the reminders of an alarm continue when a user unshelves it, although no process was notified of that', async () => {
  await house.server.event(0, { st: 'raise', code: 301, eid: '1-1' });
  const id = await alarmOf(301);
  await plansAfter(1000);
  const given = { ids: [id], minutes: 480, reason: 'known fault' };
  expect((await house.server.operator.call('/device_warning/shelve', given)).data.done).toBe(1);
  await plansAfter(hour);
  expect(await ledger(id)).toEqual(['raised accepted']);
  expect((await house.server.operator.call('/device_warning/unshelve', { ids: [id] })).data.done).toBe(1);
  await plansAfter(1.1 * hour);
  expect(await ledger(id)).toContain('reminder accepted');
});
it('announces an alarm however many later ones were announced before', async () => {
  await house.server.event(0, { st: 'raise', code: 403, eid: '1-1' });
  await house.server.event(90, { st: 'clear', code: 403, eid: '1-1' });
  const first = await alarmOf(403);
  const waits = (until: number) =>
    house.server.world.pool.query('update alarm_notices set next_at = $1, over_at = $1 where alarm_id = $2', [
      new Date(until),
      first,
    ]);
  await waits(start + 3 * hour);
  await house.server.world.pool.query(`select setval('alarm_ids', nextval('alarm_ids') + 6000)`);
  await house.server.event(100, { st: 'raise', code: 101, eid: '1-2' });
  await plansAfter(2 * hour);
  expect([await ledger(await alarmOf(101)), await ledger(first)]).toEqual([['raised accepted'], []]);
  await waits(start);
  await plansAfter(2 * hour);
  expect(await ledger(first)).toEqual(['raised accepted']);
});
it('an alarm whose notices cannot be stored delays no other one, and is announced as soon as they can', async () => {
  for (const [index, code] of [101, 403, 206].entries())
    await house.server.event(index, { st: 'raise', code, eid: `1-${index}` });
  const { pool } = house.server.world;
  await pool.query(`
    create function refuse() returns trigger language plpgsql as
      'begin raise exception using errcode = ''23514''; end';
    create trigger refuse before insert on deliveries for each row when (new.code = 403) execute function refuse()`);
  await plansAfter(60_000);
  expect([await ledger(await alarmOf(101)), await ledger(await alarmOf(206))]).toEqual([
    ['raised accepted'],
    ['raised accepted'],
  ]);
  await pool.query('drop function refuse cascade');
  await plansAfter(120_000);
  expect(await ledger(await alarmOf(403))).toEqual(['raised accepted']);
});
it('an alarm that was handled while it was active is still reported to be over after days', async () => {
  await house.server.event(0, { st: 'raise', code: 403, eid: '1-1' });
  await plansAfter(60_000);
  await house.server.handleAll();
  await forget(house.server.world.db, 'ledgers', start + 3 * 24 * hour);
  await house.server.event(3600, { st: 'clear', code: 403, eid: '1-1' });
  await plansAfter(2 * hour);
  expect(await ledger(await alarmOf(403))).toEqual(['raised accepted', 'cleared accepted']);
});
it('users who were notified of a handled early warning get the all-clear of the alarm that followed it', async () => {
  await house.server.world.db
    .updateTable('notices')
    .set({ levels: [1] })
    .execute();
  await house.server.event(0, { st: 'raise', code: 102, lvl: 1, eid: '1-1' });
  await plansAfter(1000);
  await house.server.handleAll();
  await house.server.event(60, { st: 'raise', code: 102, lvl: 2, eid: '1-1' });
  await plansAfter(120_000);
  const kinds = () => house.service.heard.map(({ body }) => JSON.parse(body).kind);
  expect(kinds()).toEqual(['raised']);
  await house.server.event(600, { st: 'clear', code: 102, lvl: 2, eid: '1-1' });
  await plansAfter(hour);
  expect(kinds()).toEqual(['raised', 'cleared']);
});
