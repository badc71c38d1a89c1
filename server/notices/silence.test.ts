/** A silence period holds back what its recipient has been told before, and nothing else. */
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { webhookBody } from '#contract/webhook.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { add, clear, device, outcomes, passes, raise, subscribe, webhook } = house;
const minute = 60_000;
const silence = { silence_minutes: 60 };

/** The posts of the webhook: kind and alarm. */
const posts = () =>
  house.service.heard.map(({ body }) => {
    const { kind, alarm_id } = webhookBody.parse(JSON.parse(Buffer.from(body, 'latin1').toString()));
    return `${kind} ${alarm_id}`;
  });
const seenTo = async (id: number) => {
  await house.operator.call('/device_warning/handle', { id, content: 'seen to' });
  await clear(id);
  await passes(6000);
};
const minutes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await passes(minute);
};

it('is not begun by a notice that waits for its time window and is dropped there', async () => {
  const at = (ms: number) =>
    DateTime.fromMillis(house.world.clock.now() + ms, { zone: 'Asia/Shanghai' }).toFormat('HH:mm');
  await webhook({ ...silence, window_from: at(30 * minute), window_to: at(90 * minute) });
  const one = await device();
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  await seenTo(first);
  const second = await raise(one, { severity: 2 });
  await passes(1000);
  await minutes(31);
  expect(posts()).toEqual([`digest ${second}`]);
});

it('is not begun by a notice that its receiver refused for a moment and that is dropped then', async () => {
  await webhook(silence);
  house.service.answer(() => ({ status: 503 }));
  const one = await device();
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  await seenTo(first);
  const second = await raise(one, { severity: 2 });
  await passes(1000);
  house.service.answer(() => ({ status: 200 }));
  house.service.heard.length = 0;
  await minutes(5);
  expect(posts()).toEqual([`raised ${second}`]);
});

it('is not begun by a grouped notice whose message was refused for good', async () => {
  await webhook(silence);
  house.service.answer(() => ({ status: 403 }));
  const one = await device();
  await raise(await device(), { severity: 1 });
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  expect(await outcomes(first)).toEqual(['raised webhook suppressed grouped']);
  await seenTo(first);
  house.service.answer(() => ({ status: 200 }));
  house.service.heard.length = 0;
  const second = await raise(one, { severity: 2 });
  await minutes(1);
  expect(posts()).toEqual([`raised ${second}`]);
});

it('holds back nothing from a recipient because another one of the rule was told', async () => {
  const late = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.project] })).id,
  );
  await subscribe(house.operator, '/operator');
  await subscribe(late, '/late');
  house.service.answer(({ path }) => ({ status: path === '/late' ? 503 : 201 }));
  const users = { user_ids: [house.operator.userId, late.userId], project_ids: [house.project.id] };
  await add(house.admin, { channel: 'app', ...silence, ...users });
  const one = await device();
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  await seenTo(first);
  house.service.answer(() => ({ status: 201 }));
  house.service.heard.length = 0;
  const second = await raise(one, { severity: 2 });
  await minutes(1);
  expect(house.service.heard.map(({ path }) => path)).toEqual(['/late']);
  expect((await outcomes(second)).sort()).toEqual(['raised app accepted', 'raised app suppressed silence']);
});

it('an all-clear waits as long as if its late notice had arrived at once', async () => {
  await webhook(silence);
  house.service.answer(() => ({ status: 503 }));
  const one = await device();
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  await clear(first);
  await passes(6000);
  house.service.answer(() => ({ status: 200 }));
  house.service.heard.length = 0;
  await minutes(2);
  const second = await raise(one, { severity: 2 });
  await minutes(60);
  expect(posts()).toEqual([`raised ${first}`]);
  await clear(second);
  await minutes(61);
  expect(posts()).toEqual([`raised ${first}`, `cleared ${second}`]);
});
