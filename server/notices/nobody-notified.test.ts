import { beforeEach, expect, it } from 'vitest';
import { provePassword } from '#server/session/sign-in.ts';
import { userRoutes } from '#server/users/users.routes.ts';
import { makeUser } from '#test/factories.ts';
import { noticeWorld } from '#test/notice-world.ts';
import { testVault } from '#test/vault.ts';
import type { Client } from '#test/world.ts';

const house = noticeWorld((serve) => userRoutes(serve, { vault: testVault, provePassword }));
const { device, deviceWithContacts, ledger, passes, raise } = house;
const add = (by: Client, given: Record<string, unknown>) =>
  house.add(by, { project_ids: [by === house.stranger ? house.other.id : house.project.id], ...given });

let owner: Client;
let colleague: Client;
beforeEach(async () => {
  const { db } = house.world;
  const person = async (nickname: string) => {
    const { id } = await makeUser(db, { role: 3, projects: [house.project] });
    await db.updateTable('users').set({ nickname }).where('id', '=', id).execute();
    return house.world.as(id);
  };
  owner = await person('Owner');
  colleague = await person('Colleague');
});
const setStatus = async ({ userId }: Client, enabled: boolean) =>
  expect((await house.admin.call('/user/set_status', { user_id: userId, enabled })).status).toBe(200);
const lines = async (alarmId: number) =>
  (await ledger(alarmId)).map(({ channel, recipient, state, reason }) =>
    [channel, recipient, state, reason].join(' ').trim(),
  );
const told = async (severity = 2) => {
  const id = await raise(await deviceWithContacts(), { severity });
  await passes(1000);
  return lines(id);
};

it('the deliveries of an alarm say that the account of the rule is disabled, for each recipient', async () => {
  await add(owner, { channel: 'app', user_ids: [colleague.userId], to_contacts: true });
  await add(owner, { channel: 'webhook', webhook_url: `${house.service.url}/hook`, name: 'Desk' });
  await setStatus(owner, false);
  expect(await told()).toEqual([
    'app Colleague suppressed owner_disabled',
    'app First (13900000001) suppressed owner_disabled',
    expect.stringMatching(/^webhook Desk \(127\.0\.0\.1:\d+\) suppressed owner_disabled$/),
  ]);
  await setStatus(owner, true);
  expect(await told()).not.toContain('app Colleague suppressed owner_disabled');
});
it('the deliveries of an alarm say that the account of a recipient is disabled', async () => {
  await add(owner, { channel: 'app', user_ids: [colleague.userId] });
  await setStatus(colleague, false);
  expect(await told()).toEqual(['app Colleague suppressed account_disabled']);
});
it('the deliveries of an alarm say that the owner of the rule lost the project, and hide the address of a webhook', async () => {
  await add(owner, { channel: 'app', user_ids: [colleague.userId] });
  await add(owner, {
    channel: 'webhook',
    webhook_url: `${house.service.url}/hook`,
    name: 'Desk',
  });
  const { db } = house.world;
  await db
    .updateTable('user_projects')
    .set({ project_id: house.other.id })
    .where('user_id', '=', owner.userId)
    .execute();
  expect(await told()).toEqual([
    'app Colleague suppressed owner_scope',
    'webhook Webhook suppressed owner_scope',
  ]);
});
it('the deliveries of an alarm name no rule of another tenant', async () => {
  await add(house.stranger, { channel: 'app', user_ids: [house.stranger.userId] });
  await setStatus(house.stranger, false);
  expect(await told()).toEqual([]);
  await setStatus(house.stranger, true);
});
it('the deliveries of an alarm say that the project has no contact', async () => {
  const { db } = house.world;
  await db.updateTable('projects').set({ contact_phone: '' }).where('id', '=', house.project.id).execute();
  await add(owner, { channel: 'app', to_contacts: true });
  const id = await raise(await device(), { severity: 2 });
  await passes(1000);
  expect(await lines(id)).toEqual(['app Harbour failed no_contact']);
});
it('says that no recipient of a rule sees the alarm', async () => {
  await add(owner, { channel: 'app', user_ids: [colleague.userId], name: 'Night shift' });
  const { db } = house.world;
  await db
    .updateTable('user_projects')
    .set({ project_id: house.other.id })
    .where('user_id', '=', colleague.userId)
    .execute();
  expect(await told()).toEqual(['app Night shift failed no_reader']);
});
it('the log of deliveries reports a step of escalation for which no administrator sees the alarm', async () => {
  const id = await raise(await deviceWithContacts(), { severity: 1 });
  const escalated = async (ms: number) => {
    await passes(ms);
    await passes(6000);
    return (await lines(id)).filter((line) => / no_(regional_)?admin$/.test(line));
  };
  expect(await escalated(16 * 60_000)).toEqual(['app Harbour failed no_regional_admin']);
  const { db } = house.world;
  const admins = await db
    .updateTable('users')
    .set({ enabled: false })
    .where(
      'id',
      'in',
      db
        .selectFrom('users')
        .innerJoin('roles', 'roles.id', 'users.role_id')
        .select('users.id')
        .where('roles.code', '=', 1),
    )
    .returning('id')
    .execute();
  await passes(60 * 60_000);
  await db
    .updateTable('users')
    .set({ enabled: true })
    .where(
      'id',
      'in',
      admins.map(({ id }) => id),
    )
    .execute();
  await house.signIn();
  expect(await escalated(6000)).toEqual([
    'app Harbour failed no_regional_admin',
    'app Harbour failed no_admin',
  ]);
});
it('a notice that waits for its time window is not sent after the account of its rule or recipient was disabled', async () => {
  const time = new Date(house.world.clock.now() + 8 * 3_600_000 + 3 * 3_600_000).toISOString().slice(11, 16);
  const window = { window_from: time, window_to: time.replace(/..$/, '59') };
  const other = await makeUser(house.world.db, { role: 3, projects: [house.project] });
  await add(house.admin, { channel: 'app', user_ids: [colleague.userId], ...window });
  await add(owner, { channel: 'app', user_ids: [other.id], ...window });
  const id = await raise(await device(), { severity: 2 });
  await passes(1000);
  expect((await ledger(id)).map(({ state, reason }) => `${state} ${reason}`)).toEqual([
    'queued window',
    'queued window',
  ]);
  await setStatus(colleague, false);
  await setStatus(owner, false);
  await passes(4 * 3_600_000);
  expect(
    (await ledger(id))
      .filter(({ kind }) => kind === 'digest')
      .map(({ reason }) => reason)
      .sort(),
  ).toEqual(['account_disabled', 'owner_disabled']);
});
