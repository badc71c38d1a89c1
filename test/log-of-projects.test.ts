import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { sampleBody } from './sample-body.ts';
import { makeTenant, makeTenantDays, type Tenant } from './tenants.ts';
import { type Client, createWorld, testPassword, type World } from './world.ts';

const left = /^\/(live|database)|logout|end_session|change_password|two_step|del_device|remove_device|delete/;
const writing = endpoints.filter(
  ({ path, permission, log, upload }) =>
    permission !== 'public' && log !== undefined && !upload && !left.test(path),
);
const given = {
  ...{ from: '2026-11-19T00:00:00Z', to: '2026-11-20T12:00:00Z', minutes: 60, mobile: '13700000009' },
  ...{ password: testPassword, own_password: testPassword },
};

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  await makeTenantDays(world);
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

type Row = { key: string; project_id: number; device_id: number | null; parameters: Record<string, unknown> };
const rowsOf = async (projectId: number): Promise<Row[]> =>
  (
    await sql<Row>`select key, project_id, device_id, parameters from operation_log where project_id = ${projectId}
      order by id`.execute(world.db)
  ).rows;

it('an act on rows of two tenants names to neither of them a row of the other', async () => {
  const one = await makeTenant(world, { mark: 'ONE', n: 1, region_id: 440305, start: 100_000 });
  const two = await makeTenant(world, { mark: 'TWO', n: 2, region_id: 310000, start: 500_000 });
  for (const { path, body } of writing) {
    const [ofOne, ofTwo] = [one.idsFor(path), two.idsFor(path)];
    const both = Object.entries(ofOne)
      .filter(([, value]) => Array.isArray(value))
      .map(([field, value]) => [field, [value, ofTwo[field]].flat()] as const);
    for (const [field, ids] of both)
      if (field in sampleBody(body, { [field]: ids }))
        await admin.call(path, { ...sampleBody(body, { ...given, revision: 1 }), [field]: ids });
  }
  const shown = async ({ projectId }: Tenant, foreign: RegExp) =>
    (await rowsOf(projectId)).filter(({ parameters }) => foreign.test(JSON.stringify(parameters)));
  expect(await shown(one, /TWO|\b5\d{5}\b/)).toEqual([]);
  expect(await shown(two, /ONE|\b1\d{5}\b/)).toEqual([]);
  expect((await rowsOf(two.projectId)).map(({ key }) => key)).toContain('alarm.batchHandle');
});

it('the log of a project shows each of its devices that was moved, changed or deleted, and not where it went', async () => {
  const [from, to] = [await makeProject(world.db), await makeProject(world.db)];
  const [first, second, last] = await Promise.all(
    [from, from, to].map(({ id }) => makeDevice(world.db, { project_id: id })),
  );
  const ids = [first!.id, second!.id, last!.id];
  const done = async (path: string, body: object) =>
    expect([path, (await admin.call(path, body)).status]).toEqual([path, 200]);
  await done('/device/change_expiry', { device_ids: ids, expires_on: '2027-05-01' });
  await done('/Project/bind_device', { device_ids: [first!.id], project_id: to.id });
  await done('/Device/remove_device', { device_ids: [first!.id, second!.id] });
  await done('/device/del_device', { device_ids: [last!.id] });
  const seen = async (projectId: number) =>
    (await rowsOf(projectId)).map(({ key, device_id, parameters }) => [
      key,
      device_id,
      parameters['numbers'],
    ]);
  expect(await seen(from.id)).toEqual([
    ['device.expiry', null, [first!.number, second!.number]],
    ['device.bind', first!.id, [first!.number]],
    ['device.unbind', second!.id, [second!.number]],
  ]);
  expect(await seen(to.id)).toEqual([
    ['device.expiry', last!.id, [last!.number]],
    ['device.bind', first!.id, [first!.number]],
    ['device.unbind', first!.id, [first!.number]],
    ['device.delete', last!.id, [last!.number]],
  ]);
  const moved = (await rowsOf(from.id)).find(({ key }) => key === 'device.bind');
  expect(moved?.parameters).not.toHaveProperty('project_id');
});
