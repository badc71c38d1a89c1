/** Tests the messages of section 8 of the specification that the server sends, each from a real call and state. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { outcomeSentences } from '#contract/answer-words.ts';
import { endpoint } from '#contract/endpoint.ts';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type Answer, type Client, createWorld, testPassword, type World } from './world.ts';

const broken = endpoint({
  method: 'POST',
  path: '/test/broken',
  permission: 'signedIn',
  body: z.strictObject({}),
  reply: z.unknown(),
});
let world: World;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
beforeAll(async () => {
  world = await createWorld((serve, parts) => {
    bindAll(serve, parts);
    serve(broken, () => Promise.reject(new Error('a handler that fails')));
  });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const project = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id, online: false });
});
afterAll(() => world.close());

type Call = (path: string, body: object) => Promise<Answer>;
const someone = async () => world.as((await makeUser(world.db, { role: 3 })).id);
/** A session that something has ended. */
const ended = async (end: (client: Client) => Promise<unknown>, language: Language) => {
  const client = await someone();
  await end(client);
  return client.call('/sign_user/user_info', { is_edit: 0 }, { 'accept-language': language });
};
const setting = async (name: string, value: unknown) =>
  expect((await admin.call('/settings/set', { name, value })).status).toBe(200);
const signInAgain = async ({ userId }: Client) => {
  await setting('session.singleSession', true);
  const { username } = await world.db
    .selectFrom('users')
    .select('username')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  expect((await world.call('/sign_user/signin', { username, password: testPassword })).status).toBe(200);
  await setting('session.singleSession', null);
};
const line = () => ({ line_id: device.lines[0]!.id, revision: 1 });
const unknown = 2_000_000_000;

type Row = readonly [
  message: string,
  code: number,
  said: FaultCode | 'done',
  from: (call: Call, language: Language) => Promise<Answer>,
  field?: string,
];
/** The message in the specification, its code, the product's sentence, and the call that causes it. */
const messages: readonly Row[] = [
  [
    'login expired, please log in again',
    401,
    'session.expired',
    (_, language) => world.call('/sign_user/user_info', { is_edit: 0 }, { 'accept-language': language }),
  ],
  [
    'You have been logged out',
    -202,
    'session.revoked',
    (_, language) =>
      ended(({ userId }) => admin.call('/user/set_status', { user_id: userId, enabled: false }), language),
  ],
  [
    'Your account signed in elsewhere',
    50012,
    'session.replaced',
    (_, language) => ended(signInAgain, language),
  ],
  [
    'Account or password is wrong',
    422,
    'signIn.wrong',
    (_, language) =>
      world.call(
        '/sign_user/signin',
        { username: `nobody ${language}`, password: 'x' },
        { 'accept-language': language },
      ),
  ],
  [
    'Operation successful!',
    200,
    'done',
    (call) => call('/content/add', { title: 'Notice', content: 'Works on Monday' }),
  ],
  ['Unknown error', 500, 'server.failed', (call) => call('/test/broken', {})],
  [
    'The device must be online to operate',
    409,
    'control.offline',
    (call) =>
      call('/device_do/device_do', { device_id: device.id, line_id: device.lines[0]!.id, action: 'open' }),
  ],
  [
    'Device does not exist',
    404,
    'device.missing',
    (call) => call('/device/get_device_detail', { device_id: unknown }),
  ],
  ['User does not exist', 404, 'user.missing', (call) => call('/user/detail', { user_id: unknown })],
  [
    'Select a map first',
    422,
    'map.choose',
    (call) => call('/Device/change_device', { device_id: device.id, revision: 1, lat: 22.5 }),
    'lat',
  ],
  [
    'The new name must differ from the old one',
    422,
    'line.nameSame',
    (call) => call('/device/change_device_line', { ...line(), old_name: 'Line 1', name: 'Line 1' }),
    'name',
  ],
  [
    'must match the list',
    422,
    'line.nameOld',
    (call) => call('/device/change_device_line', { ...line(), old_name: 'Line 9', name: 'Pump' }),
    'old_name',
  ],
  [
    'The session has reached its maximum duration',
    50014,
    'session.ended',
    (_, language) =>
      ended(
        ({ userId }) =>
          world.db
            .updateTable('sessions')
            .set({ expires_at: new Date(world.clock.now() - 1) })
            .where('user_id', '=', userId)
            .execute(),
        language,
      ),
  ],
];

test.each(messages.map((row) => [row[0], row] as const))('"%s"', async (_, row) => {
  const [message, code, said, from, field] = row;
  const sentences = said === 'done' ? outcomeSentences.done : faults[said];
  expect(sentences['en-US'].toLowerCase()).toContain(message.toLowerCase());
  for (const language of languages) {
    const answer = await from(
      (path, body) => admin.call(path, body, { 'accept-language': language }),
      language,
    );
    expect({ code: answer.code, said: field ? answer.data[field] : answer.msg }).toEqual({
      code,
      said: sentences[language],
    });
  }
});
