import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { deviceRoutes } from './devices.routes.ts';

const english = { 'accept-language': 'en-US' };
let world: World;
let admin: Client;
let keeper: Client;
let project: { id: number };
let foreign: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  world = await createWorld((serve) => deviceRoutes(serve));
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());
beforeEach(async () => {
  project = await makeProject(world.db);
  const region = await makeUser(world.db, { role: 2, region_id: 440000 });
  keeper = await world.as(region.id);
  const away = await makeProject(world.db, { region_id: 310000 });
  foreign = await makeDevice(world.db, { project_id: away.id });
});

let serial = 0;
const free = () => `FREE${String(++serial).padStart(6, '0')}`;
const add = (number: string, who = keeper) =>
  who.call('/device/add_device', { number, name: 'Board', type: 3, project_id: project.id }, english);
const imported = async (numbers: readonly string[], preview: boolean) =>
  keeper.call(
    '/device/import',
    { text: numbers.map((number) => `${number},Board,3`).join('\n'), project_id: project.id, preview },
    english,
  );
const iccid = async (device: typeof foreign, card: string, who: Client) => {
  const { data } = await admin.call('/device/get_device_info_set', { device_id: device.id });
  return who.call(
    '/device/change_ICCID',
    { device_id: device.id, revision: data.revision, iccid: card },
    english,
  );
};

it('a preview reveals no numbers of other tenants', async () => {
  const own = free();
  expect((await add(own)).status).toBe(200);
  const { data } = await imported([own, foreign.number, free()], true);
  expect(data.results.map(({ result }: { result: string }) => result)).toEqual(['refused', 'done', 'done']);
});

it('a number of another owner is refused without naming the owner, and only a limited number of times', async () => {
  const answer = await add(foreign.number);
  expect(answer).toMatchObject({
    status: 409,
    data: {
      number:
        'This device number cannot be registered. If you have the device, ask the administrator of the installation',
    },
  });
  const { data } = await imported([foreign.number, free()], false);
  expect(data.results.map(({ result }: { result: string }) => result)).toEqual(['refused', 'done']);
  for (let time = 0; time < 18; time += 1) expect((await add(foreign.number)).status).toBe(409);
  // From here on, free and foreign numbers get the same answer, also in a preview.
  for (const number of [foreign.number, free()]) {
    expect((await add(number)).status).toBe(429);
    expect((await imported([number], false)).status).toBe(429);
    expect((await imported([number], true)).status).toBe(429);
  }
  world.clock.advance(3_600_000);
  expect((await add(free())).status).toBe(200);
});

it('many foreign numbers in one list are refused as a whole, and no row is added', async () => {
  const others = await Promise.all(
    Array.from({ length: 21 }, () => makeDevice(world.db, { project_id: foreign.project_id! })),
  );
  const mine = free();
  expect((await imported([...others.map(({ number }) => number), mine], false)).status).toBe(429);
  const { rows } = await world.pool.query('select from devices where number = $1', [mine]);
  expect(rows).toHaveLength(0);
});

it('a user who sees every device learns that the number exists, without a limit', async () => {
  for (let time = 0; time < 25; time += 1)
    expect((await add(foreign.number, admin)).data.number).toBe('This device number exists already');
});

it('accepts a SIM card that a device of another owner has', async () => {
  const own = await makeDevice(world.db, { project_id: project.id });
  const second = await makeDevice(world.db, { project_id: project.id });
  const card = '89860000000000000099';
  expect((await iccid(foreign, card, admin)).status).toBe(200);
  expect((await iccid(own, card, keeper)).status).toBe(200);
  expect((await iccid(second, card, keeper)).status).toBe(409);
  expect((await iccid(second, card, admin)).status).toBe(409);
});
