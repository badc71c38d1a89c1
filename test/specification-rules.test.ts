/** Section 5 of the specification, over every call that has one of its fields. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandParameters } from '#contract/command-parameters.ts';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import { commandVerbs } from '#contract/telemetry.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { takes, type WrittenField, withValue, writtenFields } from './specification-fields.ts';
import { known as knownValue, type Rule, rules } from './specification-rules.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

let world: World;
let admin: Client;
let known: Record<string, unknown>;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts, { captcha: true }));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  expect((await admin.call('/sign_user/confirm_password', { password: testPassword })).status).toBe(200);
  const other = await makeUser(world.db, { role: 100, letters: 'AB' });
  const project = await makeProject(world.db);
  known = {
    ...{ project_id: project.id, region_id: project.region_id, user_id: other.id, role_id: other.role_id },
    ...{ username: 'liwei', nickname: 'Li Wei', contact_name: 'Li Wei', handler_name: 'Li Wei' },
    ...{ mobile: '13800000001', contact_phone: '13800000001', handler_phone: '13800000001' },
    project_ids: [project.id],
    ...{ email: 'li@example.org', is_edit: 1, code_id: '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab' },
  };
});
afterAll(() => world.close());

/**
 * A valid body of the call with the given value of the field. Each body has a new device, which no earlier call
 * has changed.
 */
const bodiesOf = async ({ endpoint, at }: WrittenField, { beside }: Rule) => {
  const device = await makeDevice(world.db, { project_id: Number(known['project_id']), online: true });
  const { region_id: _region, ...inProject } = known;
  const base = sampleBody(endpoint.body, {
    ...(takes(endpoint, 'project_id') ? inProject : known),
    ...{ device_id: device.id, line_id: device.lines[0]!.id },
  });
  return (value: unknown) => {
    const others = Object.entries(beside?.(value) ?? {}).filter(([name]) => takes(endpoint, name));
    return withValue({ ...base, ...Object.fromEntries(others) }, at, value);
  };
};

const bound = rules.map((rule) => ({ ...rule, fields: writtenFields.filter(rule.binds) }));
const cases = bound.flatMap((rule) =>
  rule.fields.map((field): [string, string, string, Rule, WrittenField] => [
    rule.rule,
    field.endpoint.path,
    field.at,
    rule,
    field,
  ]),
);

test('each rule applies to at least one field', () => {
  expect(bound.filter(({ fields }) => fields.length === 0).map(({ rule }) => rule)).toEqual([]);
});

describe('a value just outside a rule is refused at its field in three languages, and a value just inside is accepted', () => {
  test.each(cases)('%s: %s %s', async (_rule, path, at, rule, field) => {
    const bodyWith = await bodiesOf(field, rule);
    // The number of tries of an address is limited.
    if (field.endpoint.permission === 'public') world.clock.advance(60_000);
    for (const [value, fault] of rule.outside(field))
      for (const language of languages) {
        const { status, msg, data } = await admin.call(path, bodyWith(value), {
          'accept-language': language,
        });
        expect({ value, status, msg, mark: data?.[at] }).toEqual({
          ...{ value, status: 422, msg: sentence('request.invalid', language) },
          mark: sentence(fault, language),
        });
      }
    for (const value of rule.inside) {
      const body = bodyWith(value === knownValue ? known[at] : value);
      const { status, data } = await admin.call(path, body, { 'accept-language': 'en-US' });
      if (status === 422)
        expect(rule.outside(field).map(([, fault]) => sentence(fault, 'en-US'))).not.toContain(data?.[at]);
    }
  });
});

const firmware = { url: 'https://example.org/a', sha256: 'a'.repeat(64), to: '2.0' };
describe('device control only when online', () => {
  test.each(commandVerbs)('%s is refused while the device is offline', async (action) => {
    // Type 3 supports every action except the test of a fault-arc detector.
    const type = action === 'arc_test' ? 5 : 3;
    const device = await makeDevice(world.db, {
      project_id: Number(known['project_id']),
      type,
      online: false,
    });
    const parameters = { ...sampleBody(commandParameters[action], firmware) };
    const body = { device_id: device.id, line_id: device.lines[0]!.id, action, parameters };
    for (const language of languages)
      expect(await admin.call('/device_do/device_do', body, { 'accept-language': language })).toMatchObject({
        status: 409,
        msg: sentence('control.offline', language),
      });
  });
});
