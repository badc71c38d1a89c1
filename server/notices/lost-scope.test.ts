/** What waits to be sent when its recipient, or the owner of its rule, loses the project. */
import { DateTime } from 'luxon';
import { beforeEach, expect, it } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import type { Client } from '#test/world.ts';

const house = noticeWorld();
const { add, device, ledger, passes, raise, subscribe } = house;
const minute = 60_000;
const hour = 60 * minute;

let owner: Client;
let reader: Client;
beforeEach(async () => {
  const { db } = house.world;
  const projects = [house.project, house.other];
  owner = await house.world.as((await makeUser(db, { role: 3, projects })).id);
  reader = await house.world.as((await makeUser(db, { role: 3, projects })).id);
  await subscribe(reader, '/reader');
});
const loses = ({ userId }: Client, project: { id: number }) =>
  house.world.db
    .deleteFrom('user_projects')
    .where('user_id', '=', userId)
    .where('project_id', '=', project.id)
    .execute();
/** A window that opens in an hour. */
const later = () => {
  const at = (ms: number) =>
    DateTime.fromMillis(house.world.clock.now() + ms, { zone: 'Asia/Shanghai' }).toFormat('HH:mm');
  return { window_from: at(hour), window_to: at(2 * hour) };
};
const toReader = (given: Record<string, unknown> = {}) =>
  add(owner, {
    ...{ channel: 'app', user_ids: [reader.userId], project_ids: [house.project.id, house.other.id] },
    ...given,
  });
const toHook = (given: Record<string, unknown> = {}) =>
  add(owner, {
    ...{ channel: 'webhook', webhook_url: `${house.service.url}/hook`, project_ids: [house.project.id] },
    ...given,
  });
const lines = async (alarmId: number) =>
  (await ledger(alarmId)).map(({ kind, state, reason }) => [kind, state, reason].filter(Boolean).join(' '));
const heard = (path: string) => house.service.heard.filter((request) => request.path === path).length;
const news = async (client: Client) =>
  (await client.call('/system_message/index', { type: 'alarm' })).data.list.length;

it('a queued digest does not reach a recipient who no longer sees the project, and still reports the others', async () => {
  await toReader(later());
  const lost = await raise(await device(), { severity: 3 });
  const kept = await raise(await device({ project_id: house.other.id }), { severity: 3 });
  await passes(1000);
  expect(await lines(lost)).toEqual(['digest queued window']);
  await loses(reader, house.project);
  await passes(hour + minute);
  expect(await lines(lost)).toEqual(['digest suppressed recipient_scope']);
  expect(await lines(kept)).toEqual(['digest accepted']);
  expect([heard('/reader'), await news(reader)]).toEqual([1, 1]);
  expect((await reader.call('/system_message/index', { type: 'alarm' })).data.list[0].text).not.toContain(
    'Harbour',
  );
});
it.each([503, 201])(
  'after a first answer of %i nothing more of an alarm reaches a recipient who lost it',
  async (status) => {
    house.service.answer(() => ({ status }));
    await toReader();
    const id = await raise(await device(), { severity: 2 });
    await passes(1000);
    await loses(reader, house.project);
    house.service.answer(() => ({ status: 201 }));
    await house.clear(id);
    await passes(6000);
    await passes(10 * minute);
    expect(heard('/reader')).toBe(1);
  },
);
it('a webhook gets no more alarms of a project that the owner of its rule no longer sees', async () => {
  await toHook(later());
  await toHook({ levels: [2] });
  const id = await raise(await device(), { severity: 3 });
  await passes(1000);
  expect(await lines(id)).toEqual(['digest queued window', 'raised accepted']);
  await loses(owner, house.project);
  await house.clear(id);
  await passes(6000);
  await passes(hour + minute);
  expect(heard('/hook')).toBe(1);
  expect((await lines(id))[0]).toBe('digest suppressed owner_scope');
});
it('an alarm that another rule reports, too, reaches the recipient although the owner of the first rule is gone', async () => {
  await toReader(later());
  const heir = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.project] })).id,
  );
  await add(heir, {
    ...{ channel: 'app', user_ids: [reader.userId], project_ids: [house.project.id] },
    ...later(),
  });
  const id = await raise(await device(), { severity: 3 });
  await passes(1000);
  await house.world.db.updateTable('users').set({ enabled: false }).where('id', '=', owner.userId).execute();
  await passes(hour + minute);
  expect(heard('/reader')).toBe(1);
  expect(await lines(id)).toEqual(['digest accepted', 'digest suppressed grouped']);
});
it.each([
  { what: 'switched off', change: { enabled: false }, reason: 'disabled' },
  { what: 'deleted', change: null, reason: 'disabled' },
  { what: 'for another project', change: { project_ids: 'other' }, reason: 'rule_changed' },
  { what: 'for other types', change: { typeNumbers: '502' }, reason: 'rule_changed' },
  { what: 'for another level', change: { levels: [2] }, reason: 'rule_changed' },
  { what: 'for somebody else', change: { user_ids: 'owner', channel: 'app' }, reason: 'rule_changed' },
])(
  'what waits of a rule that is $what meanwhile is not sent, and its delivery says so',
  async ({ change, reason }) => {
    const projects = { project_ids: [house.project.id] };
    const rule = { channel: 'app', user_ids: [reader.userId], ...projects, ...later() };
    const hook = { channel: 'webhook', webhook_url: `${house.service.url}/hook`, ...projects, ...later() };
    const rules: (readonly [number, Record<string, unknown>])[] = [];
    for (const given of [rule, hook]) rules.push([await add(owner, given), given]);
    const id = await raise(await device(), { severity: 3, level: 1 });
    await passes(1000);
    expect(await lines(id)).toEqual(['digest queued window', 'digest queued window']);
    const others: Record<string, unknown> = {
      ...change,
      ...(change?.project_ids && { project_ids: [house.other.id] }),
      ...(change?.user_ids && { user_ids: [owner.userId], webhook_url: undefined }),
    };
    for (const [ruleId, given] of rules) {
      const { code } =
        change === null
          ? await owner.call('/device_warning/del_waring_timing', { ids: [ruleId] })
          : await owner.call('/device_warning/edit_warning_timing', { id: ruleId, ...given, ...others });
      expect(code).toBe(200);
    }
    await passes(hour + minute);
    expect([heard('/reader'), heard('/hook')]).toEqual([0, 0]);
    expect([...new Set(await lines(id))]).toEqual([`digest suppressed ${reason}`]);
  },
);
