import { expect, it } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { sessionRoutes } from '#server/session/session.routes.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import { testVault } from '#test/vault.ts';
import { testPassword } from '#test/world.ts';

const house = noticeWorld((serve, live) =>
  sessionRoutes(serve, {
    live,
    captcha: false,
    secureCookie: false,
    vault: testVault,
    demo: false,
    map: readConfig({}).map,
  }),
);
const { passes, raise, ledger, add, deviceWithContacts } = house;
const number = '13900000002';

const rows = async (alarmId: number) => (await ledger(alarmId)).map(({ recipient }) => recipient);
const messagesOf = async (client: typeof house.operator) =>
  (await client.call('/system_message/index')).data.total as number;
const setOwnPhone = (client: typeof house.operator, mobile: string) =>
  client.call('/sign_user/user_info', { is_edit: true, mobile });

it('an account that enters a contact’s number does not get the contact’s alarms', async () => {
  const one = await deviceWithContacts();
  await add(house.admin, { channel: 'app', to_contacts: true, project_ids: [house.project.id] });
  const thief = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.other] })).id,
  );
  expect((await setOwnPhone(thief, number)).code).toBe(200);
  const colleague = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.project] })).id,
  );
  await setOwnPhone(colleague, number);
  const id = await raise(one, { severity: 1 });
  await passes(1000);
  await passes(6 * 60_000);
  expect(await messagesOf(thief)).toBe(0);
  expect(await messagesOf(colleague)).toBe(0);
  expect(await messagesOf(house.operator)).toBe(1);
  const operator = await house.world.db
    .selectFrom('users')
    .select('nickname')
    .where('id', '=', house.operator.userId)
    .executeTakeFirstOrThrow();
  expect(await rows(id)).toEqual(['First (13900000001)', `${operator.nickname} (Second, ${number})`]);
});

it('a contact’s alarms reach each account in scope with the same number, if an administrator confirmed that number', async () => {
  const one = await deviceWithContacts();
  const colleague = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.project] })).id,
  );
  const stranger = await house.world.as(
    (await makeUser(house.world.db, { role: 3, projects: [house.other] })).id,
  );
  const confirm = (who: typeof colleague, given: { password?: string; by?: typeof colleague } = {}) =>
    (given.by ?? house.admin).call('/user/confirm_phone', {
      user_id: who.userId,
      mobile: number,
      password: given.password ?? testPassword,
    });
  expect((await confirm(colleague, { by: colleague })).status).toBe(403);
  expect((await confirm(colleague, { password: 'wrong1' })).status).toBe(422);
  expect((await confirm(colleague)).code).toBe(200);
  expect((await confirm(stranger)).code).toBe(200);
  expect((await colleague.call('/sign_user/user_info')).data).toMatchObject({
    mobile: number,
    mobile_confirmed: true,
  });
  await raise(one, { severity: 1 });
  await passes(1000);
  await passes(6 * 60_000);
  expect([await messagesOf(colleague), await messagesOf(house.operator), await messagesOf(stranger)]).toEqual(
    [1, 1, 0],
  );
  // The same number again keeps the confirmation, another one removes it.
  await setOwnPhone(colleague, number);
  expect((await colleague.call('/sign_user/user_info')).data.mobile_confirmed).toBe(true);
  await setOwnPhone(colleague, '13900000009');
  expect((await colleague.call('/sign_user/user_info')).data.mobile_confirmed).toBe(false);
  await setOwnPhone(colleague, number);
  expect((await colleague.call('/sign_user/user_info')).data.mobile_confirmed).toBe(false);
});

it('sends the test of a rule to no account outside the project of the contact', async () => {
  const { db } = house.world;
  await db
    .updateTable('projects')
    .set({ contact_phone: number })
    .where('id', '=', house.project.id)
    .execute();
  await db
    .updateTable('users')
    .set({ mobile: number, mobile_proved_at: new Date() })
    .where('id', '=', house.stranger.userId)
    .execute();
  const id = await add(house.admin, { channel: 'app', to_contacts: true, project_ids: [house.project.id] });
  const { data } = await house.admin.call('/device_warning/test_warning_timing', { id });
  expect(data.delivery_ids).toHaveLength(1);
  await db
    .updateTable('users')
    .set({ mobile: '', mobile_proved_at: null })
    .where('id', '=', house.stranger.userId)
    .execute();
});

it('a sign-out ends the push notifications of that console only', async () => {
  await house.subscribe(house.operator, '/push/gone');
  const other = await house.world.as(house.operator.userId);
  await house.subscribe(other, '/push/kept');
  expect((await house.operator.call('/sign_user/logout')).code).toBe(200);
  expect((await other.call('/push/key')).data.subscriptions).toBe(1);
});
