import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser } from '#test/factories.ts';
import { becomes } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';
import { createSwitchWorld, refusalOf, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let chief: Client;
beforeAll(async () => {
  world = await createSwitchWorld();
  chief = await world.as((await makeUser(world.db, { role: 1 })).id);
});
afterAll(() => world.close());

const minute = 60_000;
const firmware = {
  url: 'https://firmware.example/sw3-1.5.0.bin',
  size: 412_300,
  sha256: 'a'.repeat(64),
  to: '1.5.0',
};

const updating = async () => {
  const one = await world.connect();
  await one.listens();
  const asked = await chief.call('/device_do/device_do', {
    ...{ device_id: one.device.id, action: 'ota', parameters: firmware, password: testPassword },
  });
  expect(asked.status).toBe(200);
  const id: string = asked.data.command_id;
  await world.control.settled();
  const command = async () => (await chief.call('/device_do/get_command', { command_id: id })).data;
  return {
    ...one,
    state: async () => (await command()).state as string,
    progress: (st: string, about = id) => one.send('ota', { id: about, from: '1.4.2', to: '1.5.0', st }),
    refusal: async () => {
      await one.reading();
      return refusalOf(chief, one);
    },
  };
};

test('an update of more than ten minutes refuses closing as long as the device reports that it goes on', async () => {
  const one = await updating();
  for (let passed = 0; passed < 30; passed += 6) {
    await one.progress('downloading');
    await world.control.settled();
    await becomes(one.state, 'acknowledged');
    world.clock.advance(6 * minute);
    expect(await one.refusal()).toBe('ota');
  }
  await one.progress('updated');
  world.clock.advance(5 * minute);
  await becomes(one.state, 'unknown');
  expect(await one.refusal()).toBeNull();
  one.leave();
});

test('an update ends ten minutes after its last report, and progress of another device does not prolong it', async () => {
  const [one, other] = [await updating(), await updating()];
  await one.progress('downloading');
  await becomes(one.state, 'acknowledged');
  const { id } = await world.db
    .selectFrom('commands')
    .select('id')
    .where('device_id', '=', one.device.id)
    .executeTakeFirstOrThrow();
  world.clock.advance(8 * minute);
  await other.progress('downloading', id);
  world.clock.advance(3 * minute);
  await becomes(one.state, 'unknown');
  one.leave();
  other.leave();
});
