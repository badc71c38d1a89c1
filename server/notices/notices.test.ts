import { describe, expect, it } from 'vitest';
import { makePart, makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { passes, raise, add, webhook, subscribe, device } = house;

describe('a rule', () => {
  it('a notification rule is added, edited, listed and deleted within the writer’s scope', async () => {
    const id = await add(house.operator, {
      channel: 'app',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
      silence_minutes: 20,
      window_from: '22:00',
      window_to: '06:00',
      typeNumbers: '101,301',
    });
    const edited = await house.operator.call('/device_warning/edit_warning_timing', {
      id,
      channel: 'app',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
      enabled: false,
    });
    expect(edited.data).toMatchObject({ status: 'disabled', silence_minutes: 0, window_from: null });
    expect((await house.stranger.call('/device_warning/warning_timing_list')).data.total).toBe(0);
    expect(
      (await house.operator.call('/device_warning/warning_timing_list', { status: 'disabled' })).data.list[0]
        .projects,
    ).toEqual([{ id: house.project.id, name: 'Harbour' }]);
    expect(
      (
        await house.stranger.call('/device_warning/edit_warning_timing', {
          id,
          channel: 'app',
          user_ids: [house.stranger.userId],
          project_ids: [house.other.id],
        })
      ).status,
    ).toBe(404);
    expect(
      (await house.stranger.call('/device_warning/del_waring_timing', { ids: [id] })).data,
    ).toMatchObject({
      done: 0,
      denied: 1,
    });
    expect(
      (await house.operator.call('/device_warning/del_waring_timing', { ids: [id, 999_999] })).data,
    ).toMatchObject({ done: 1, denied: 1 });
  });
  it('a user of a part neither sees nor changes a rule that reaches beyond the part', async () => {
    const part = await makePart(house.world.db, house.project.id);
    const place = { id: house.project.id, parts: [part.id] };
    const keeper = await house.world.as((await makeUser(house.world.db, { role: 32, projects: [place] })).id);
    const rule = (userId: number) => ({
      ...{ channel: 'app', user_ids: [userId], project_ids: [house.project.id] },
      name: 'Whole site',
    });
    const own = await add(keeper, rule(keeper.userId));
    const whole = await add(house.operator, rule(house.operator.userId));
    const { data } = await keeper.call('/device_warning/warning_timing_list');
    expect(data.list.map(({ id }: { id: number }) => id)).toEqual([own]);
    const silenced = { ...rule(keeper.userId), id: whole, enabled: false };
    expect((await keeper.call('/device_warning/edit_warning_timing', silenced)).status).toBe(404);
    expect((await keeper.call('/device_warning/test_warning_timing', { id: whole })).status).toBe(404);
    const removed = await keeper.call('/device_warning/del_waring_timing', { ids: [whole, own] });
    expect(removed.data).toMatchObject({ done: 1, denied: 1 });
    const listed = await house.operator.call('/device_warning/warning_timing_list', {});
    expect(listed.data.list).toContainEqual(expect.objectContaining({ id: whole, status: 'enabled' }));
    await house.operator.call('/device_warning/del_waring_timing', { ids: [whole] });
  });
  it('offers as recipients exactly the people whom the author of the rule sees, found by a part of the name', async () => {
    const part = await makePart(house.world.db, house.project.id);
    const elsewhere = await makePart(house.world.db, house.other.id);
    const given: Parameters<typeof makeUser>[1][] = [
      { role: 2, region_id: 440000 },
      { role: 2, region_id: 310000 },
      { role: 3, projects: [house.project] },
      { role: 3, region_id: 440305 },
      { role: 32, projects: [{ id: house.project.id, parts: [part.id] }] },
      { role: 32, projects: [{ id: house.other.id, parts: [elsewhere.id] }] },
      { role: 32, projects: [house.project] },
      { role: 100, letters: 'E', region_id: 440300 },
      { role: 100, letters: 'E', projects: [house.other] },
      { role: 3, projects: [house.project], enabled: false },
    ];
    const ids: number[] = [];
    for (const each of given) ids.push((await makeUser(house.world.db, each)).id);
    const writers = [
      house.admin,
      house.operator,
      house.stranger,
      await house.world.as(ids[0]!),
      await house.world.as(ids[4]!),
      await house.world.as(ids[7]!),
    ];
    for (const writer of writers) {
      const { data } = await writer.call('/device_warning/notice_recipients', { limit: 100 });
      expect(data.more).toBe(false);
      const named = new Set(data.list.map((each: { id: number }) => each.id));
      const scoped =
        writer === house.admin ? [] : writer === house.stranger ? [house.other.id] : [house.project.id];
      for (const id of [...house.users, ...ids]) {
        const answer = await writer.call('/device_warning/add_warning_timing', {
          channel: 'app',
          user_ids: [id],
          project_ids: scoped,
        });
        if (answer.data?.project_ids === undefined)
          expect([id, answer.data?.user_ids === undefined]).toEqual([id, named.has(id)]);
        else expect(named.has(id) || answer.data?.user_ids !== undefined).toBe(true);
      }
    }
    await house.world.db
      .updateTable('users')
      .set({ nickname: 'Zhang 100%' })
      .where('id', '=', ids[2]!)
      .execute();
    const { data } = await house.operator.call('/device_warning/notice_recipients', { search: 'g 100%' });
    expect(data.list).toEqual([{ id: ids[2], name: 'Zhang 100%', role: 3, role_name: 'Role 3' }]);
    const { data: few } = await house.admin.call('/device_warning/notice_recipients', { limit: 2 });
    expect([few.list.length, few.more]).toEqual([2, true]);
    await house.world.db.updateTable('users').set({ enabled: false }).where('id', 'in', ids).execute();
  });
  it.each([
    ['a foreign project', { project_ids: () => [house.other.id] }, 'project_ids'],
    ['no project', { project_ids: () => [] }, 'project_ids'],
    ['nobody to notify', { user_ids: () => [] }, 'user_ids'],
    ['a user who shares no project', { user_ids: () => [house.stranger.userId] }, 'user_ids'],
    ['half a window', { window_from: () => '08:00' }, 'window_to'],
    ['an unknown type', { typeNumbers: () => [199] }, 'typeNumbers'],
    ['a silence of 15 minutes', { silence_minutes: () => 15 }, 'silence_minutes'],
    ['a webhook without an address', { channel: () => 'webhook' }, 'webhook_url'],
  ])('refuses %s', async (_what, wrong, field) => {
    const given = { channel: 'app', user_ids: [house.operator.userId], project_ids: [house.project.id] };
    const made = Object.fromEntries(Object.entries(wrong).map(([name, value]) => [name, value()]));
    const answer = await house.operator.call('/device_warning/add_warning_timing', { ...given, ...made });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.data)).toContain(field);
  });
});

describe('the estimate of a rule', () => {
  it('the estimate counts the people whom a rule would reach and the alarms of the last 30 days, within the caller’s scope', async () => {
    const foreign = await device({ project_id: house.other.id });
    await raise(foreign, { code: 301 });
    await raise(await device(), { code: 301 });
    await raise(await device(), { code: 206 });
    const old = await raise(await device(), { code: 301 });
    await house.world.db
      .updateTable('alarms')
      .set({ raised_at: new Date(house.world.clock.now() - 31 * 86_400_000) })
      .where('id', '=', old)
      .execute();
    const ask = (who: typeof house.operator, given: Record<string, unknown>) =>
      who.call('/device_warning/estimate_warning_timing', { channel: 'app', ...given });
    const users = [house.operator.userId, house.admin.userId];
    expect((await ask(house.operator, { user_ids: users })).data).toEqual({ people: 2, alarms: 2 });
    expect((await ask(house.operator, { typeNumbers: [301] })).data).toEqual({ people: 0, alarms: 1 });
    expect((await ask(house.admin, { typeNumbers: [301] })).data).toEqual({ people: 0, alarms: 2 });
    expect((await ask(house.operator, { project_ids: [house.other.id] })).data.alarms).toBe(0);
  });
  it('the estimate counts no account that its author does not see', async () => {
    const user_ids = [house.operator.userId, house.stranger.userId, 999_999];
    const { data } = await house.operator.call('/device_warning/estimate_warning_timing', {
      channel: 'app',
      user_ids,
    });
    expect(data.people).toBe(1);
  });
});

describe('a test message', () => {
  it('a test message passes the whole chain at once, even outside the rule’s window, and its result can be read', async () => {
    const id = await webhook({ enabled: false, window_from: '00:00', window_to: '00:01' });
    const { data } = await house.admin.call('/device_warning/test_warning_timing', { id });
    await house.notices.idle();
    const answer = await house.admin.call('/device_warning/deliveries', {
      id,
      delivery_ids: data.delivery_ids,
    });
    expect(answer.data.list).toMatchObject([{ kind: 'test', state: 'accepted', detail: { status: 201 } }]);
    expect((await house.stranger.call('/device_warning/deliveries', { id })).status).toBe(404);
  });
});

describe('the deliveries of a rule', () => {
  it('are shown to a reader only about alarms that the reader may see, also after the rule was changed', async () => {
    const rule = { channel: 'app', user_ids: [house.admin.userId], silence_minutes: 0 };
    const id = await add(house.admin, { ...rule, project_ids: [house.project.id, house.other.id] });
    await raise(await device());
    await raise(await device({ project_id: house.other.id }));
    await passes(1000);
    await house.admin.call('/device_warning/test_warning_timing', { id });
    await house.notices.idle();
    const kinds = async (client: typeof house.admin) =>
      (await client.call('/device_warning/deliveries', { id })).data.list.map(
        ({ kind }: { kind: string }) => kind,
      );
    expect(await kinds(house.admin)).toEqual(['test', 'raised', 'raised']);
    const narrowed = { ...rule, id, project_ids: [house.other.id] };
    expect((await house.admin.call('/device_warning/edit_warning_timing', narrowed)).code).toBe(200);
    expect(await kinds(house.stranger)).toEqual(['test', 'raised']);
    expect(await kinds(house.admin)).toEqual(['test', 'raised', 'raised']);
  });
});

describe('pop-ups and messages', () => {
  it('pop-ups and messages keep each user’s own settings', async () => {
    expect((await house.operator.call('/device_warning/bullet_frame')).data).toMatchObject({
      enabled: true,
      sound: 'soft',
    });
    await house.operator.call('/device_warning/change_frame', {
      enabled: false,
      levels: [2],
      typeNumbers: [301],
      sound: 'off',
      seconds: 5,
    });
    expect((await house.operator.call('/device_warning/bullet_frame')).data).toEqual({
      enabled: false,
      levels: [2],
      typeNumbers: [301],
      sound: 'off',
      seconds: 5,
    });
    expect((await house.admin.call('/device_warning/bullet_frame')).data.enabled).toBe(true);
  });
  it('pop-ups and messages are read, counted and deleted by their owner alone', async () => {
    await add(house.operator, {
      channel: 'app',
      user_ids: [house.operator.userId],
      project_ids: [house.project.id],
    });
    await raise(await device());
    await passes(1000);
    const { id } = (await house.operator.call('/system_message/index', { read: 'unread' })).data.list[0];
    expect((await house.stranger.call('/system_message/detail', { id })).status).toBe(404);
    expect((await house.stranger.call('/system_message/del', { ids: [id] })).data.done).toBe(0);
    expect((await house.stranger.call('/system_message/getRed', { ids: [id] })).data.done).toBe(0);
    expect((await house.operator.call('/system_message/getRed', { ids: [id] })).data).toEqual({
      done: 1,
      unread: 0,
    });
    expect((await house.operator.call('/system_message/detail', { id })).data.read).toBe(true);
    expect((await house.operator.call('/system_message/del', { ids: [id] })).data.done).toBe(1);
    expect((await house.operator.call('/system_message/index')).data.total).toBe(0);
  });
  it('a subscription ends in the browser where its user ends it', async () => {
    await subscribe(house.operator, '/push/x');
    await house.stranger.call('/push/unsubscribe', { endpoint: `${house.service.url}/push/x` });
    expect((await house.operator.call('/push/key')).data.subscriptions).toBe(1);
    await house.operator.call('/push/unsubscribe', { endpoint: `${house.service.url}/push/x` });
    expect((await house.operator.call('/push/key')).data.subscriptions).toBe(0);
    expect((await house.admin.call('/device_warning/notice_settings')).data).toMatchObject({
      wechat: { has_secret: true },
    });
  });
});
