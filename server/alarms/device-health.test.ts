import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '#test/alarm-world.ts';
import { makeDevice, makeProject } from '#test/factories.ts';

let world: AlarmWorld;
beforeAll(async () => {
  world = await createAlarmWorld();
});
afterAll(() => world.close());

it('counts the days until a service expires in the time zone of the device’s project', async () => {
  // 02:00 UTC on 20 November is still the 19th in New York.
  const [china, america] = [
    await makeProject(world.db),
    await makeProject(world.db, { time_zone: 'America/New_York' }),
  ];
  const inChina = await makeDevice(world.db, { project_id: china.id });
  const inAmerica = await makeDevice(world.db, { project_id: america.id });
  await world.db.updateTable('devices').set({ expires_on: '2026-12-20' }).execute();
  const expiring = async () =>
    (
      await world.db
        .selectFrom('alarms')
        .select(['device_id', 'value'])
        .where('code', '=', 806)
        .orderBy('device_id')
        .execute()
    ).map((row) => [row.device_id, row.value]);
  await world.survey.look();
  expect(await expiring()).toEqual([[inChina.id, 30]]);
  world.clock.advance(4 * 3_600_000);
  await world.survey.look();
  expect(await expiring()).toEqual([
    [inChina.id, 30],
    [inAmerica.id, 30],
  ]);
});
