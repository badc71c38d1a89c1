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
