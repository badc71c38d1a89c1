import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVault } from '#server/core/vault.ts';
import { bindAll } from '#test/all-features.ts';
import { makeProject, makeUser } from '#test/factories.ts';
import { testVault } from '#test/vault.ts';
import { type Client, createWorld, testPassword, type World } from '#test/world.ts';
import { twoStep } from './two-step.ts';

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

const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({
    timestamp: world.clock.now(),
  });
/** The next code of an app, because each is valid once. */
const nextCode = (secret: string): string => {
  world.clock.advance(30_000);
  return codeOf(secret);
};
const setUp = async () => {
  serial += 1;
  const username = `second${serial}`;
  const user = await makeUser(world.db, { role: 3, username, projects: [project] });
  const client = await world.as(user.id);
  const { data } = await client.call('/sign_user/two_step_begin', { password: testPassword });
  const confirmed = await client.call('/sign_user/two_step_confirm', { code: codeOf(data.secret) });
  return {
    ...user,
    username,
    client,
    secret: data.secret as string,
    recovery: confirmed.data.recovery_codes as string[],
  };
};
const firstStep = (username: string) => world.call('/sign_user/signin', { username, password: testPassword });
const secondStep = (ticket: string, code: string) => world.call('/sign_user/two_step', { ticket, code });

describe('two-step sign-in', () => {
  it('gives no session for the password alone, and one with the app’s code', async () => {
    const { username, secret } = await setUp();
    const first = await firstStep(username);
    expect([first.status, first.data.reason]).toEqual([403, 'two_step']);
    expect(first.response.cookies).toEqual([]);
    const second = await secondStep(first.data.ticket, nextCode(secret));
    expect(second.data).toMatchObject({ token: expect.any(String), project_id: project.id });
    expect((await secondStep(first.data.ticket, nextCode(secret))).status).toBe(403);
  });

  it('refuses a code that was used, an older one, and one of another account', async () => {
    const { username, secret } = await setUp();
    const other = await setUp();
    const code = nextCode(secret);
    const { ticket } = (await firstStep(username)).data;
    expect((await secondStep(ticket, nextCode(other.secret))).status).toBe(422);
    const now = codeOf(secret);
    expect((await secondStep(ticket, now)).status).toBe(200);
    const again = (await firstStep(username)).data.ticket;
    expect((await secondStep(again, now)).status).toBe(422);
    expect((await secondStep(again, code)).status).toBe(422);
  });

  it('accepts each recovery code once; new codes replace all old ones', async () => {
    const { username, secret, recovery, client } = await setUp();
    expect(recovery).toHaveLength(10);
    const [code] = recovery;
    expect((await secondStep((await firstStep(username)).data.ticket, code!.toLowerCase())).status).toBe(200);
    expect((await secondStep((await firstStep(username)).data.ticket, code!)).status).toBe(422);
    world.clock.advance(60_000);
    const renewed = await client.call('/sign_user/two_step_recovery', {
      password: testPassword,
      code: codeOf(secret),
    });
    expect(renewed.data.recovery_codes).toHaveLength(10);
    world.clock.advance(60_000);
    expect((await secondStep((await firstStep(username)).data.ticket, recovery[1]!)).status).toBe(422);
  });

  it.each<[string, (user: { id: number; client: Client }) => Promise<unknown>]>([
    [
      'changes the password',
      ({ client }) =>
        client.call('/sign_user/change_password', {
          ...{ old_password: testPassword, new_password: 'xyz98765', repeat_password: 'xyz98765' },
        }),
    ],
    [
      'is given another password',
      ({ id }) =>
        admin.call('/user/reset_password', {
          ...{ user_id: id, password: 'xyz98765', repeat_password: 'xyz98765' },
          own_password: testPassword,
        }),
    ],
    [
      'is disabled and enabled again',
      async ({ id }) => {
        await admin.call('/user/set_status', { user_id: id, enabled: false });
        await admin.call('/user/set_status', { user_id: id, enabled: true });
      },
    ],
    ['has all sessions ended', ({ id }) => admin.call('/user/end_session', { user_id: id })],
  ])('ends a sign-in that waits for its code when the user %s', async (_what, act) => {
    const user = await setUp();
    const { ticket } = (await firstStep(user.username)).data;
    await act(user);
    expect((await secondStep(ticket, nextCode(user.secret))).status).toBe(403);
  });

  it('delays guesses and ends a ticket after five wrong codes', async () => {
    const { username, secret } = await setUp();
    const { ticket } = (await firstStep(username)).data;
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess += 1) {
      statuses.push((await secondStep(ticket, '000000')).status);
      world.clock.advance(20_000);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 403]);
    const again = (await firstStep(username)).data.ticket;
    await secondStep(again, '000000');
    expect((await secondStep(again, codeOf(secret))).status).toBe(429);
  });

  it('keeps the secret encrypted, bound to its account and to the key file', async () => {
    const { id, secret } = await setUp();
    const other = await setUp();
    const row = await world.db
      .selectFrom('two_step')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.secret.toString('latin1')).not.toContain(secret);
    expect(testVault.open(row.secret, `two_step:${id}`)).toBe(secret);
    expect(() => testVault.open(row.secret, `two_step:${other.id}`)).toThrow();
    expect(() => createVault(Buffer.alloc(32, 8)).open(row.secret, `two_step:${id}`)).toThrow();
    const logged = await world.db.selectFrom('operation_log').select('parameters').execute();
    expect(JSON.stringify(logged)).not.toContain(secret);
  });

  it('two-step sign-in ends the sessions that were opened with the password alone', async () => {
    const user = await makeUser(world.db, { role: 3, projects: [project] });
    const [one, two] = [await world.as(user.id), await world.as(user.id)];
    const { data } = await one.call('/sign_user/two_step_begin', { password: testPassword });
    await one.call('/sign_user/two_step_confirm', { code: codeOf(data.secret) });
    expect((await two.call('/sign_user/check_login')).code).toBe(-202);
    expect((await one.call('/sign_user/check_login')).code).toBe(200);
  });

  it('two-step sign-in cannot be bypassed by an automatic sign-in link', async () => {
    const { id, username } = await setUp();
    await world.db.updateTable('users').set({ auto_sign_in: true }).where('id', '=', id).execute();
    expect((await world.call('/sign_user/autologin', { user: username, pwd: testPassword })).status).toBe(
      403,
    );
  });

  it('two-step sign-in is turned off with password and code, unless the role requires it', async () => {
    const { client, secret, role_id } = await setUp();
    const off = async () =>
      (
        await client.call('/sign_user/two_step_disable', {
          password: testPassword,
          code: nextCode(secret),
        })
      ).status;
    await admin.call('/role/set_two_step', { role_id, required: true });
    expect(await off()).toBe(409);
    await admin.call('/role/set_two_step', { role_id, required: false });
    expect(await off()).toBe(200);
    const info = await client.call('/sign_user/user_info');
    expect(info.data.two_step).toEqual({ enabled: false, required: false, recovery_left: 0 });
  });

  it('a user whose role requires it can do nothing else before setting it up', async () => {
    const user = await makeUser(world.db, { role: 190, letters: 'D', projects: [project] });
    const client = await world.as(user.id);
    await admin.call('/role/set_two_step', { role_id: user.role_id, required: true });
    expect((await client.call('/Device/get_device_list')).status).toBe(403);
    expect((await client.call('/sign_user/check_login')).data.two_step_due).toBe(true);
    const { data } = await client.call('/sign_user/two_step_begin', { password: testPassword });
    await client.call('/sign_user/two_step_confirm', { code: codeOf(data.secret) });
    expect((await client.call('/Device/get_device_list')).status).toBe(200);
  });

  it('two-step sign-in is reset by a user who manages the account, which signs the account out', async () => {
    const { id, username, client } = await setUp();
    expect((await admin.call('/user/detail', { user_id: id })).data.user.two_step).toBe(true);
    expect((await admin.call('/user/two_step_reset', { user_id: id })).status).toBe(200);
    expect((await client.call('/sign_user/check_login')).code).toBe(-202);
    expect((await firstStep(username)).status).toBe(200);
    expect(await twoStep(world.db, testVault).isOn(id)).toBe(false);
  });
});

describe('the code by SMS', () => {
  const person = async () => {
    const user = await makeUser(world.db, { role: 3, projects: [project] });
    return { id: user.id, client: await world.as(user.id) };
  };
  const outbox = async () => (await admin.call('/user/sms_outbox')).data;
  const sentTo = async (mobile: string): Promise<string> => {
    const message = (await outbox()).find((each: { mobile: string }) => each.mobile === mobile);
    return /\d{4}/.exec(message.text)![0];
  };

  it('confirms the number once, from the outbox if no gateway is configured', async () => {
    const { client } = await person();
    const mobile = '13811110001';
    expect((await client.call('/index/get_code', { mobile })).status).toBe(200);
    const save = (sms_code: string) =>
      client.call('/sign_user/user_info', { is_edit: true, mobile, sms_code });
    const code = await sentTo(mobile);
    const wrong = code === '0000' ? '0001' : '0000';
    expect((await save(wrong)).data).toEqual({ sms_code: expect.any(String) });
    expect((await save(code)).data).toMatchObject({ mobile, mobile_confirmed: true });
    expect((await save(code)).status).toBe(422);
  });

  it('a code by SMS requires a session and a pause between messages, and expires after some tries or minutes', async () => {
    const { client } = await person();
    const mobile = '13811110002';
    expect((await world.call('/index/get_code', { mobile })).status).toBe(401);
    await client.call('/index/get_code', { mobile });
    expect((await client.call('/index/get_code', { mobile })).status).toBe(429);
    const code = await sentTo(mobile);
    const save = (sms_code: string, to = mobile) =>
      client.call('/sign_user/user_info', { is_edit: true, mobile: to, sms_code });
    expect((await save(code, '13811110003')).status).toBe(422);
    world.clock.advance(5 * 60_000);
    expect((await save(code)).status).toBe(422);
    await client.call('/index/get_code', { mobile });
    const next = await sentTo(mobile);
    for (let guess = 0; guess < 5; guess += 1) await save(next === '0000' ? '0001' : '0000');
    expect((await save(next)).status).toBe(422);
  });

  it('a code goes to the SMS gateway, its text is not kept, and a failure is reported', async () => {
    const { createServer } = await import('node:http');
    const heard: { body: string; authorization: string | undefined }[] = [];
    let answer = 200;
    const gateway = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        heard.push({ body, authorization: request.headers.authorization });
        response.writeHead(answer).end();
      });
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const address = gateway.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    try {
      const set = await admin.call('/user/sms_gateway', {
        url: `http://127.0.0.1:${port}/send`,
        token: 'gateway-key',
        allow_private: true,
      });
      expect(set.data).toMatchObject({ has_token: true, allow_private: true });
      const { client } = await person();
      const mobile = '13811110004';
      expect((await client.call('/index/get_code', { mobile })).status).toBe(200);
      expect(JSON.parse(heard[0]!.body)).toMatchObject({ mobile, code: expect.stringMatching(/^\d{4}$/) });
      expect(heard[0]!.authorization).toBe('Bearer gateway-key');
      expect((await outbox())[0]).toMatchObject({ mobile, state: 'sent', text: null });
      answer = 500;
      const failing = await person();
      expect((await failing.client.call('/index/get_code', { mobile: '13811110005' })).status).toBe(409);
      expect((await outbox())[0]).toMatchObject({ state: 'failed', error: 'HTTP 500' });
      expect(JSON.stringify((await admin.call('/user/sms_gateway')).data)).not.toContain('gateway-key');
    } finally {
      await admin.call('/user/sms_gateway', { url: '' });
      gateway.close();
    }
  });

  it('only a user who manages every project can set up and read the SMS gateway', async () => {
    const user = await makeUser(world.db, { role: 191, letters: 'I', projects: [project] });
    const client = await world.as(user.id);
    for (const path of ['/user/sms_gateway', '/user/sms_outbox'])
      expect((await client.call(path)).status).toBe(403);
  });
});
