/** Messages that are put together from several deliveries, and what is tried again of them. */
import { expect, it } from 'vitest';
import { webhookBody } from '#contract/webhook.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { clear, device, passes, raise, webhook } = house;
const minute = 60_000;

/** The posts of the webhook: kind, delivery and alarms. */
const posts = () =>
  house.service.heard.map(({ body }) => {
    const { kind, delivery_id, list } = webhookBody.parse(JSON.parse(Buffer.from(body, 'latin1').toString()));
    return { kind, id: delivery_id, alarms: list.map(({ alarm_id }) => alarm_id) };
  });
const receives = (status: number) => {
  house.service.heard.length = 0;
  house.service.answer(() => ({ status }));
};
const severe = async (severity: number) => raise(await device(), { severity });
const minutes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await passes(minute);
};

it('an all-clear that is tried again keeps all its alarms when a more severe one ends meanwhile', async () => {
  await webhook();
  const [early, other, grave] = [await severe(2), await severe(2), await severe(1)];
  await passes(1000);
  receives(503);
  await clear(early);
  await clear(other);
  await passes(6000);
  await clear(grave);
  await passes(16_000);
  await passes(6000);
  receives(200);
  await minutes(20);
  const over = posts().filter(({ kind }) => kind === 'cleared');
  expect(over.flatMap(({ alarms }) => alarms).sort((a, b) => a - b)).toEqual([early, other, grave]);
});

it.each([
  [1, 2],
  [2, 1],
])(
  'a message that its receiver may have is repeated with the same alarms, severity %i before %i',
  async (before, after) => {
    await webhook({ silence_minutes: 10 });
    const first = await severe(before);
    await passes(1000);
    await passes(9000);
    const second = await severe(after);
    await passes(1000);
    await clear(first);
    await clear(second);
    await minutes(9);
    house.service.heard.length = 0;
    house.service.answer(() => 'drop');
    await passes(50_000);
    house.service.answer(() => ({ status: 200 }));
    await passes(20_000);
    await minutes(2);
    const [tried, ...later] = posts();
    expect(later.filter(({ id }) => id === tried?.id)).toEqual([tried]);
    expect(
      posts()
        .flatMap(({ alarms }) => alarms)
        .sort(),
    ).toEqual([first, first, second]);
  },
);

it('an all-clear that is put together names no alarm whose own notice is still to come', async () => {
  await webhook();
  const early = await severe(2);
  await passes(1000);
  receives(503);
  const late = await severe(2);
  await passes(1000);
  await clear(early);
  await clear(late);
  receives(200);
  await passes(6000);
  await minutes(5);
  const kinds = posts().filter(({ alarms }) => alarms.includes(late));
  expect(kinds.map(({ kind }) => kind)).toEqual(['raised', 'cleared']);
});
