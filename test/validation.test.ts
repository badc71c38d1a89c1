import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '#contract/endpoints.ts';
import { type FaultCode, sentence } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type Client, createWorld, type World } from './world.ts';

let world: World;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts, { demo: false, captcha: true }));
  const project = await makeProject(world.db);
  device = await makeDevice(world.db, { project_id: project.id, type: 3, online: true });
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

/** Every call with a phone number field. */
const phoneFields = endpoints.flatMap(({ path, body, permission }) => {
  const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties)
    .filter((name) => permission !== 'public' && isPhoneField(body, name))
    .map((name): [string, string] => [path, name]);
});
function isPhoneField(body: z.ZodType, name: string): boolean {
  const issues = body.safeParse({ [name]: '12' }).error?.issues ?? [];
  return issues.some(({ path, message }) => path[0] === name && message === 'phone.digits');
}

type Flaw = [
  path: string,
  body: (of: { device_id: number; line_id: number }) => object,
  field: string,
  fault: FaultCode,
  parameters?: Readonly<Record<string, number>>,
];
/** Values that the rules in `specification-rules.ts` do not cover: formats, bounds and pairs of fields. */
const flaws: readonly Flaw[] = [
  ...['mqtt.example.org:0', 'mqtt.example.org:65536', 'mqtt.example.org:', '-x.org', 'http://x.org'].map(
    (server_address): Flaw => [
      '/device_service/set_device_service',
      ({ device_id }) => ({ device_id, server_address, device_address: '1' }),
      'server_address',
      'service.address',
    ],
  ),
  [
    '/device/device_set',
    ({ device_id }) => ({
      device_id,
      device_ids: [device_id],
      settings: [{ key: 'il_w', n: 1, value: 20 }],
    }),
    'device_ids',
    'field.onlyOne',
  ],
  ['/device/add_device', () => ({ number: '', name: 'New', type: 3 }), 'number', 'device.number'],
  ['/device/add_device', () => ({ number: 'NEW-0001', name: 'New' }), 'type', 'field.required'],
  ['/device/change_ICCID', ({ device_id }) => ({ device_id, revision: 1, iccid: '' }), 'iccid', 'sim.iccid'],
  [
    '/Device/change_device',
    ({ device_id }) => ({ device_id, revision: 1, lat: 200, lng: 0 }),
    'lat',
    'field.most',
    { limit: 90 },
  ],
  ...[{ lat: 22.5 }, { lng: 113.9 }, { lat: 22.5, lng: null }, { lat: null, lng: 113.9 }, { lat: null }].map(
    (point): Flaw => [
      '/Device/change_device',
      ({ device_id }) => ({ device_id, revision: 1, ...point }),
      'lat',
      'map.choose',
    ],
  ),
  ...['0000-01-01', '1899-12-31', '2027-02-29', '01.05.2027', ''].flatMap((expires_on): Flaw[] => [
    [
      '/Device/change_device',
      ({ device_id }) => ({ device_id, revision: 1, expires_on }),
      'expires_on',
      'date.invalid',
    ],
    [
      '/device/change_expiry',
      ({ device_id }) => ({ device_ids: [device_id], expires_on }),
      'expires_on',
      'date.invalid',
    ],
  ]),
  ...[0, -1, 'abc', 1e10].map(
    (project_id): Flaw => [
      '/Project/bind_device',
      ({ device_id }) => ({ device_ids: [device_id], project_id }),
      'project_id',
      'project.choose',
    ],
  ),
  [
    '/device/import',
    () => ({ rows: [{ number: 'NEW-0001' }], text: 'NEW-0002,Board,3' }),
    'rows',
    'field.onlyOne',
  ],
  ['/Project/bind_device', () => ({ project_id: 1, device_ids: [] }), 'device_ids', 'setting.devices'],
  ['/device_line/onekey_opening', () => ({ action: 'open' }), 'device_id', 'batch.devices'],
  [
    '/device_timing/add_device_timing',
    () => ({ type: 'weekly', w1: true, time: '08:00', action: 'open' }),
    'line_id',
    'timer.line',
  ],
  [
    '/device_timing/add_device_timing',
    ({ line_id }) => ({ line_id, type: 'weekly', time: '08:00', action: 'open' }),
    'w1',
    'timer.days',
  ],
  [
    '/device_timing/add_device_timing',
    ({ line_id }) => ({ line_id, type: 'once', time: '08:00', action: 'open' }),
    'date',
    'timer.date',
  ],
  [
    '/device_timing/add_device_timing',
    ({ line_id }) => ({ line_id, type: 'once', date: '9999-12-31', time: '08:00', action: 'open' }),
    'date',
    'timer.date',
  ],
  [
    '/device_timing/add_device_timing',
    ({ line_id }) => ({ line_id, type: 'weekly', w1: true, action: 'open' }),
    'time',
    'timer.time',
  ],
];

test('a form takes the same values as JSON: numbers as text, lists and objects as JSON text', async () => {
  const form = async (path: string, fields: Record<string, string>) => {
    const response = await world.app.inject({
      method: 'POST',
      url: path,
      payload: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: admin.token,
        'accept-language': 'en',
      },
    });
    return { status: response.statusCode, data: response.json().data };
  };
  const device_id = String(device.id);
  const first = await admin.call('/device/get_device_info_set', { device_id });
  const revision = String(first.data.revision);
  expect(await form('/Device/change_device', { device_id, revision, lat: 'x', lng: '113.9' })).toEqual({
    status: 422,
    data: { lat: 'Enter a number' },
  });
  const point = { lat: '22.5', lng: '113.9', name: '12' };
  const changed = await form('/Device/change_device', { device_id, revision, ...point });
  expect(changed).toMatchObject({ status: 200 });
  const contacts = [{ name: 'Li Wei', phone: '13800000000' }];
  expect(
    await form('/device/edit_contact', {
      device_id,
      revision: String(changed.data.revision),
      contacts: JSON.stringify(contacts),
    }),
  ).toMatchObject({ status: 200, data: { contacts } });
  const settings = [{ key: 'il_w', n: 1, value: 5000 }];
  expect(await form('/device/device_set', { device_id, settings: JSON.stringify(settings) })).toEqual({
    status: 422,
    data: { 'settings.0.value': 'The value is out of its range' },
  });
  expect(await form('/device_do/device_use', { device_id, enables: '{"buzzer":true}' })).toMatchObject({
    status: 200,
  });
  expect((await admin.call('/device/get_device_detail', { device_id })).data).toMatchObject({
    ...{ lat: 22.5, lng: 113.9, name: '12', contacts },
  });
});

test('reports nested field paths and exact bounds', async () => {
  const unknown = 'There is no such field';
  const english = { 'accept-language': 'en' };
  const flawsOf = async (path: string, body: object) => (await admin.call(path, body, english)).data;
  expect(await flawsOf('/Device/remove_device', { filter: { colour: 1 }, expected: 1 })).toEqual({
    'filter.colour': unknown,
  });
  expect(
    await flawsOf('/device/edit_contact', { device_id: device.id, revision: 1, contacts: [{ fax: '1' }] }),
  ).toEqual({ 'contacts.0.fax': unknown });
  expect(await flawsOf('/device_log/get_list', { device_id: 0 })).toEqual({
    device_id: 'Choose a device',
  });
});

describe.each(languages)('in %s', (language) => {
  test.each(flaws)('%s marks an invalid value (%#)', async (path, body, field, fault, parameters) => {
    const given = body({ device_id: device.id, line_id: device.lines[1]?.id ?? device.lines[0]!.id });
    const answer = await admin.call(path, given, { 'accept-language': language });
    expect(answer.status).toBe(422);
    expect(answer.msg).toBe(sentence('request.invalid', language));
    expect(answer.data).toMatchObject({ [field]: sentence(fault, language, parameters) });
  });
});

describe('fields for phone numbers of any country', () => {
  const set = async (value: string | null) =>
    expect((await admin.call('/settings/set', { name: 'session.phoneFormat', value })).status).toBe(200);
  beforeAll(() => set('e164'));
  afterAll(() => set(null));
  const contact = (phone: string, language: Language) =>
    admin.call(
      '/person/add',
      { name: 'Li Wei', mobile: phone, project_ids: [] },
      { 'accept-language': language },
    );

  test.each(languages)(
    'fields for phone numbers of any country mark a wrong number in %s',
    async (language) => {
      const { status, data } = await contact('1234567', language);
      expect(status).toBe(422);
      expect(data).toMatchObject({ mobile: sentence('phone.international', language) });
    },
  );
  test('fields for phone numbers of any country store a number of another country as digits', async () => {
    expect((await admin.call('/sign_user/check_login')).data.phone_format).toBe('e164');
    const taken = await admin.call('/device/get_device_info_set', { device_id: device.id });
    const changed = await admin.call('/device/edit_contact', {
      device_id: device.id,
      revision: taken.data.revision,
      contacts: [{ name: 'Ann Smith', phone: '+44 20 7946 0958' }],
    });
    expect(changed).toMatchObject({ status: 200, data: { contacts: [{ phone: '442079460958' }] } });
  });
  test.each(phoneFields)('%s accepts a phone number', async (path, field) => {
    const { status, data } = await admin.call(path, { [field]: '+44 20 7946 0958' });
    if (status === 422) expect(data).not.toHaveProperty(field);
  });
  test.each(phoneFields)('%s marks a wrong phone number', async (path, field) => {
    const { status, data } = await admin.call(path, { [field]: '12' }, { 'accept-language': 'en' });
    expect([status, data[field]]).toEqual([422, sentence('phone.international', 'en-US')]);
  });
});
