/** Codes that are valid once, given twice at the same time. */
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindAll } from '#test/all-features.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, createWorld, testPassword, type World } from '#test/world.ts';

let world: World;
let admin: Client;
let project: { id: number };
let serial = 0;
beforeAll(async () => {
  world = await createWorld(bindAll);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  project = await makeProject(world.db);
});
afterAll(() => world.close());

const nextCode = (secret: string): string => {
  world.clock.advance(30_000);
  return new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({
    timestamp: world.clock.now(),
  });
};
const person = async () => {
  serial += 1;
  const user = await makeUser(world.db, { role: 3, username: `racer${serial}`, projects: [project] });
  return { ...user, client: await world.as(user.id) };
};
const begin = (client: Client) => client.call('/sign_user/two_step_begin', { password: testPassword });
const confirm = (client: Client, code: string) => client.call('/sign_user/two_step_confirm', { code });
const withTwoStep = async () => {
  const user = await person();
  const { secret } = (await begin(user.client)).data;
  const { recovery_codes } = (await confirm(user.client, nextCode(secret))).data;
  return { ...user, secret: secret as string, recovery: recovery_codes as string[] };
};
const ticketOf = async (username: string): Promise<string> =>
  (await world.call('/sign_user/signin', { username, password: testPassword })).data.ticket;
const secondStep = (ticket: string, code: string) => world.call('/sign_user/two_step', { ticket, code });
/** How many statements wait for a lock. */
const waiting = async () =>
  (
    await sql`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock'`.execute(world.db)
  ).rows.length;
/** Starts the calls one after the other while a row is locked, so that each waits behind the one before. */
const behind = async <T>(
  lock: (db: World['db']) => Promise<unknown>,
  calls: readonly (() => Promise<T>)[],
): Promise<T[]> => {
  const started: Promise<T>[] = [];
  await world.db.transaction().execute(async (trx) => {
    await lock(trx);
    for (const call of calls) {
      started.push(call());
      await eventually(async () => (await waiting()) >= started.length);
    }
  });
  return Promise.all(started);
};
const secondStepOf = (userId: number) => (db: World['db']) =>
  db.selectFrom('two_step').select('user_id').where('user_id', '=', userId).forUpdate().execute();
const statusesOf = (answers: readonly { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

it.each([
  ['recovery code', ({ recovery }: { recovery: string[]; secret: string }) => recovery[0]!],
  ['code of the app', ({ secret }: { recovery: string[]; secret: string }) => nextCode(secret)],
])('of two sign-ins at once with one %s only one gets a session', async (_what, codeOf) => {
  const user = await withTwoStep();
  const tickets = [await ticketOf(user.username), await ticketOf(user.username)];
  const code = codeOf(user);
  const answers = await behind(
    secondStepOf(user.id),
    tickets.map((ticket) => () => secondStep(ticket, code)),
  );
  expect(statusesOf(answers)).toEqual([200, 422]);
});

it('a ticket opens one session, also with two right codes at once', async () => {
  const user = await withTwoStep();
  const ticket = await ticketOf(user.username);
  const codes = [user.recovery[0]!, user.recovery[1]!];
  const answers = await behind(
    secondStepOf(user.id),
    codes.map((code) => () => secondStep(ticket, code)),
  );
  expect(statusesOf(answers)).toEqual([200, 403]);
});

it('a second step that is confirmed while another one begins keeps its secret', async () => {
  const { id, client, username } = await person();
  const { secret } = (await begin(client)).data;
  const code = nextCode(secret);
  const [confirmed, begun] = await behind(secondStepOf(id), [
    () => confirm(client, code),
    () => begin(client),
  ]);
  expect([confirmed?.status, begun?.status]).toEqual([200, 409]);
  expect((await secondStep(await ticketOf(username), nextCode(secret))).status).toBe(200);
});

it('a code by SMS confirms one number once, also when the clock was set back in between', async () => {
  const { id, client } = await person();
  const mobile = '13855550001';
  await client.call('/index/get_code', { mobile });
  const [message] = (await admin.call('/user/sms_outbox')).data;
  const sms_code = /\d{4}/.exec(message.text)![0];
  const save = () => client.call('/sign_user/user_info', { is_edit: true, mobile, sms_code });
  const answers = await behind(
    (db) => db.selectFrom('sms_codes').select('user_id').where('user_id', '=', id).forUpdate().execute(),
    [
      save,
      () => {
        world.clock.advance(-1000);
        return save();
      },
    ],
  );
  expect(statusesOf(answers)).toEqual([200, 422]);
});

it('an administrator’s new password ends the sign-in that has just proved the old one', async () => {
  const { id, username } = await person();
  const [reset, signedIn] = await behind(
    (db) => db.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute(),
    [
      () =>
        admin.call('/user/reset_password', {
          ...{ user_id: id, password: 'xyz98765', repeat_password: 'xyz98765', own_password: testPassword },
        }),
      () => world.call('/sign_user/signin', { username, password: testPassword }),
    ],
  );
  expect([reset?.status, signedIn?.status]).toEqual([200, 422]);
});

it('an administrator’s new password ends the session that a sign-in opens meanwhile', async () => {
  const { id, username } = await person();
  const [signedIn, reset] = await behind(
    (db) => db.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute(),
    [
      () => world.call('/sign_user/signin', { username, password: testPassword }),
      () =>
        admin.call('/user/reset_password', {
          ...{ user_id: id, password: 'xyz98765', repeat_password: 'xyz98765', own_password: testPassword },
        }),
    ],
  );
  expect([signedIn?.status, reset?.status]).toEqual([200, 200]);
  const { token } = signedIn!.data;
  expect((await world.call('/sign_user/check_login', {}, { authorization: token })).status).toBe(401);
});
