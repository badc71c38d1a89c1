/** The server's clock was ahead and is set right: nothing waits for the length of the step. */
import { DateTime } from 'luxon';
import { beforeEach, expect, it } from 'vitest';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { clear, device, deviceWithContacts, ledger, outcomes, passes, raise, webhook } = house;
const minute = 60_000;
const hour = 60 * minute;
const ahead = 10 * hour;

beforeEach(async () => {
  house.world.clock.step(ahead);
  await passes(minute);
});
const setRight = () => house.world.clock.step(-ahead);
const minutes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await passes(minute);
};
const kinds = () => house.service.heard.map(({ body }) => JSON.parse(body).kind);

it.each(['while the server runs', 'while it is down'])(
  'a notice is tried again at once, set %s',
  async (how) => {
    await webhook();
    house.service.answer(() => ({ status: 503 }));
    const id = await raise(await device(), { severity: 1 });
    for (let tries = 0; tries < 3; tries += 1) await passes(5 * minute);
    if (how === 'while it is down') await house.notices.stop();
    setRight();
    if (how === 'while it is down') await house.notices.start();
    house.service.answer(() => ({ status: 200 }));
    await minutes(1);
    expect(await outcomes(id)).toContain('raised webhook accepted');
  },
);

it('an alarm that nobody handles goes on to the next contact in time', async () => {
  await webhook();
  const id = await raise(await deviceWithContacts(), { severity: 1 });
  await passes(1000);
  await passes(4 * minute);
  setRight();
  const called = async () =>
    (await ledger(id)).filter(({ recipient }) => recipient.includes('Second')).map(({ kind }) => kind);
  await minutes(6);
  expect(await called()).toEqual(['reminder']);
  await minutes(60);
  expect(await called()).toEqual(['reminder']);
  expect((await outcomes(id)).filter((each) => each.startsWith('reminder webhook'))).toHaveLength(2);
});

it('a digest is sent when its window opens by the clock as it is', async () => {
  const right = house.world.clock.now() - ahead;
  const at = (ms: number) => DateTime.fromMillis(right + ms, { zone: 'Asia/Shanghai' }).toFormat('HH:mm');
  await webhook({ window_from: at(hour), window_to: at(2 * hour) });
  await webhook({ window_from: at(-hour), window_to: at(hour) });
  const id = await raise(await device(), { severity: 2 });
  await passes(1000);
  expect(await outcomes(id)).toEqual(['digest webhook queued window', 'digest webhook queued window']);
  setRight();
  await minutes(1);
  expect((await outcomes(id)).sort()).toEqual(['digest webhook accepted', 'digest webhook queued window']);
  await minutes(60);
  expect((await outcomes(id)).slice(0, 2)).toEqual(['digest webhook accepted', 'digest webhook accepted']);
});

it('an all-clear does not wait for a silence period of before', async () => {
  await webhook({ silence_minutes: 60 });
  const id = await raise(await device(), { severity: 1 });
  await passes(1000);
  await clear(id);
  await passes(6000);
  expect(kinds()).toEqual(['raised']);
  setRight();
  await minutes(1);
  expect(kinds()).toEqual(['raised', 'cleared']);
});

it('an outage that was received just before is announced when it is clear that it is not of the whole project', async () => {
  await webhook();
  const id = await raise(await device(), { code: 109, severity: 2 });
  setRight();
  await minutes(1);
  expect(await outcomes(id)).toEqual(['raised webhook accepted']);
});

it('an alarm that was shelved does not stay shelved for the length of the step', async () => {
  await webhook();
  const id = await raise(await device(), { severity: 1 });
  const given = { ids: [id], minutes: 60, reason: 'known fault' };
  expect((await house.operator.call('/device_warning/shelve', given)).data.done).toBe(1);
  await passes(1000);
  expect(kinds()).toEqual([]);
  setRight();
  await minutes(1);
  expect(kinds()).toEqual(['raised']);
  const { data } = await house.operator.call('/device_warning/WarningList', { shelved: true });
  expect(data.total).toBe(0);
});
