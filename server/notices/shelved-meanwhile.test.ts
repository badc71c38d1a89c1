/** A user shelves an alarm while its notice waits. */
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { webhookBody } from '#contract/webhook.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { device, deviceWithContacts, outcomes, passes, raise, subscribe, webhook } = house;
const minute = 60_000;
const hour = 60 * minute;

const posts = () =>
  house.service.heard.map(({ body }) => {
    const { kind, list } = webhookBody.parse(JSON.parse(Buffer.from(body, 'latin1').toString()));
    return `${kind} ${list.map(({ alarm_id }) => alarm_id).join(' ')}`;
  });
const shelve = async (id: number, minutes: number) => {
  const given = { ids: [id], minutes, reason: 'known fault' };
  expect((await house.operator.call('/device_warning/shelve', given)).data.done).toBe(1);
};
const minutes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await passes(minute);
};

it.each([2, 3])(
  'a digest leaves out the alarm of severity %i, which is announced when it returns',
  async (severity) => {
    const at = (ms: number) =>
      DateTime.fromMillis(house.world.clock.now() + ms, { zone: 'Asia/Shanghai' }).toFormat('HH:mm');
    await webhook({ window_from: at(hour), window_to: at(5 * hour) });
    const other = await raise(await device(), { severity: 2 });
    const id = await raise(await device(), { severity });
    await passes(1000);
    await passes(50 * minute);
    await shelve(id, 60);
    await passes(11 * minute);
    expect(posts()).toEqual([`digest ${other}`]);
    expect(await outcomes(id)).toContain('digest webhook suppressed shelved');
    await passes(50 * minute);
    expect(posts().at(-1)).toBe(`raised ${id}`);
  },
);

it('a notice that is tried again is not sent while its alarm is shelved, and is sent when a user unshelves it', async () => {
  await webhook();
  house.service.answer(() => ({ status: 503 }));
  const id = await raise(await device(), { severity: 1 });
  await passes(1000);
  house.service.heard.length = 0;
  house.service.answer(() => ({ status: 200 }));
  await shelve(id, 480);
  await minutes(20);
  expect(posts()).toEqual([]);
  await house.operator.call('/device_warning/unshelve', { ids: [id] });
  await minutes(1);
  expect(posts()).toEqual([`raised ${id}`]);
});

it('a reminder that a user asks for is sent although the alarm is shelved', async () => {
  await subscribe(house.operator, '/contact');
  house.service.answer(() => ({ status: 503 }));
  const id = await raise(await deviceWithContacts(), { severity: 4 });
  await passes(1000);
  await house.operator.call('/device_warning/toPush', { id });
  await passes(1000);
  await shelve(id, 60);
  house.service.answer(() => ({ status: 201 }));
  await minutes(1);
  expect(await outcomes(id)).toContain('urged app accepted');
});
