import { expect, it } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';

const house = noticeWorld();
const { passes, raise, ledger, outcomes, add, webhook, subscribe, device, deviceWithContacts, clear } = house;
const minute = 60_000;

const kinds = () => house.service.heard.map(({ body }) => JSON.parse(body).kind);

it('sends one all-clear to each recipient of an alarm, also after an escalation', async () => {
  await webhook();
  const regional = await makeUser(house.world.db, { role: 2, region_id: 440000 });
  const id = await raise(await deviceWithContacts(), { severity: 1 });
  await passes(1000);
  await passes(16 * minute);
  house.service.heard.length = 0;
  await clear(id);
  for (let times = 0; times < 4; times += 1) await passes(6000);
  const ends = (await ledger(id)).filter(({ kind }) => kind === 'cleared');
  expect(ends.map(({ recipient, state }) => [recipient, state])).toEqual(
    expect.arrayContaining([[expect.stringContaining('127.0.0.1'), 'accepted']]),
  );
  // Neither user has a console with push: their reminders failed, but the messages exist.
  expect(kinds()).toEqual(['cleared']);
  expect(ends).toHaveLength(1);
  await house.world.db
    .deleteFrom('users')
    .where('id', '=', regional.id)
    .execute()
    .catch(() => undefined);
});

it('an all-clear uses the channel of its notice, and at most one message', async () => {
  await subscribe(house.operator, '/push/desk');
  await add(house.operator, {
    channel: 'app',
    user_ids: [house.operator.userId],
    project_ids: [house.project.id],
  });
  const id = await raise(await device(), { severity: 2 });
  await passes(1000);
  await clear(id);
  await passes(6000);
  await passes(6000);
  expect(await outcomes(id)).toEqual(['raised app accepted', 'cleared app accepted']);
  const { data } = await house.operator.call('/system_message/index', {}, { 'accept-language': 'en-US' });
  expect(data.list.map((row: { title: string }) => row.title)).toEqual([
    'Back to normal: Overvoltage',
    'Alarm: Overvoltage',
  ]);
});

it('an all-clear is sent also if a user handled the active alarm, and never to users who did not get the alarm', async () => {
  await webhook();
  const handled = await raise(await device(), { severity: 1 });
  await passes(1000);
  await house.operator.call('/device_warning/handle', { id: handled, content: 'seen to' });
  await clear(handled);
  await passes(6000);
  expect(await outcomes(handled)).toEqual(['raised webhook accepted', 'cleared webhook accepted']);
  house.service.answer(() => ({ status: 403 }));
  const refused = await raise(await device(), { severity: 1 });
  await passes(1000);
  await clear(refused);
  await passes(6000);
  expect(await outcomes(refused)).toEqual(['raised webhook failed refused']);
});

it('an all-clear waits for the notice of its alarm, and is dropped when that fails', async () => {
  await webhook();
  house.service.answer(() => ({ status: 503 }));
  const id = await raise(await device(), { severity: 1 });
  await passes(1000);
  await clear(id);
  await passes(6000);
  expect(await outcomes(id)).toEqual(['raised webhook queued unreachable', 'cleared webhook queued']);
  house.service.answer(() => ({ status: 200 }));
  house.service.heard.length = 0;
  await passes(15_000);
  await passes(6000);
  expect(kinds()).toEqual(['raised', 'cleared']);
  house.service.answer(() => ({ status: 503 }));
  const lost = await raise(await device(), { severity: 1 });
  await passes(1000);
  await clear(lost);
  await passes(6000);
  house.service.answer(() => ({ status: 403 }));
  await passes(15_000);
  await passes(6000);
  expect(await outcomes(lost)).toEqual([
    'raised webhook failed refused',
    'cleared webhook suppressed not_notified',
  ]);
});

it('an all-clear waits while repeats are silenced, so that nobody believes that a returned alarm has ended', async () => {
  await webhook({ silence_minutes: 10 });
  const one = await device();
  const first = await raise(one, { severity: 2 });
  await passes(1000);
  await clear(first);
  await passes(6000);
  const second = await raise(one, { severity: 2 });
  await passes(1000);
  expect(await outcomes(second)).toEqual(['raised webhook suppressed silence']);
  for (let at = 0; at < 11; at += 1) await passes(minute);
  expect(kinds()).toEqual(['raised']);
  expect(await outcomes(first)).toEqual([
    'raised webhook accepted',
    'cleared webhook suppressed active_again',
  ]);
  await clear(second);
  await passes(6000);
  expect(kinds()).toEqual(['raised', 'cleared']);
});
