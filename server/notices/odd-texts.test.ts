/** Texts of names and of receivers that PostgreSQL's jsonb takes only if they are prepared for it. */
import { expect, it } from 'vitest';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { add, clear, device, outcomes, passes, raise, subscribe, webhook } = house;
const minute = 60_000;

it('an all-clear of devices with long names of rare characters is sent, and is a message in the console', async () => {
  await subscribe(house.operator, '/push/desk');
  await add(house.operator, {
    ...{ channel: 'app', user_ids: [house.operator.userId], project_ids: [house.project.id] },
  });
  const ids: number[] = [];
  for (const name of ['甲', '甲乙', '甲乙丙']) {
    const one = await device();
    await house.world.db
      .updateTable('devices')
      .set({ name: `${name}${'𠮷'.repeat(40)}` })
      .where('id', '=', one.id)
      .execute();
    ids.push(await raise(one, { severity: 2 }));
  }
  await passes(1000);
  for (const id of ids) await clear(id);
  await passes(6000);
  const ends = await Promise.all(ids.map(async (id) => (await outcomes(id)).at(-1)));
  expect(ends).toEqual([
    'cleared app accepted',
    'cleared app suppressed grouped',
    'cleared app suppressed grouped',
  ]);
  const { list } = (await house.operator.call('/system_message/index', { type: 'alarm' })).data;
  expect(list[0].text.match(/𠮷/g)).toHaveLength(3 * 40);
});

it.each([
  ['a character U+0000', 'busy \0'],
  ['a character cut in half', `${'x'.repeat(299)}🔥`],
])(
  'the result of a receiver that answers with %s is kept, and it is not called again',
  async (_what, text) => {
    await webhook();
    house.service.answer(() => ({ status: 403, body: text }));
    const id = await raise(await device(), { severity: 2 });
    await passes(1000);
    for (let minutes = 0; minutes < 5; minutes += 1) await passes(minute);
    expect(await outcomes(id)).toEqual(['raised webhook failed refused']);
    expect(house.service.heard).toHaveLength(1);
  },
);
