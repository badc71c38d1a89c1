import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from './alarm-world.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type StandIn, standIn } from './stand-in.ts';
import { eventually } from './wait.ts';
import type { Client } from './world.ts';

const minute = 60_000;
let world: AlarmWorld;
let service: StandIn;
let admin: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;

beforeAll(async () => {
  service = await standIn();
  world = await createAlarmWorld();
  admin = await world.as((await makeUser(world.db, { role: 1 })).id);
  const ways = {
    app_id: '',
    template_id: '',
    base_url: service.url,
    private_targets: true,
    language: 'en-US',
  };
  await admin.call('/device_warning/set_notice_settings', ways);
  const rule = { channel: 'webhook', webhook_url: `${service.url}/hook` };
  expect((await admin.call('/device_warning/add_warning_timing', rule)).code).toBe(200);
});
afterAll(async () => {
  await world.close();
  await service.close();
});
beforeEach(async () => {
  world.leave();
  service.heard.length = 0;
  device = await makeDevice(world.db, { project_id: (await makeProject(world.db)).id });
  await world.connect(device);
  await world.report(device);
});

let episode = 0;
const happened = (minutesAgo: number, code: number, given: Record<string, unknown> = {}) =>
  world.publish(device, 'event', {
    t: world.clock.now() - minutesAgo * minute,
    ...{ bf: 1, kind: 'alarm', st: 'raise', eid: `1-${++episode}`, code, lvl: 2, n: 1 },
    ...given,
  });
const passes = async (ms: number) => {
  for (let left = ms; left > 0; left -= 5000) {
    world.clock.advance(5000);
    await world.notices.idle();
  }
};
/** Alarms that popped up, in order. */
const popUps = () =>
  world
    .heard('alarms.changed')
    .flat()
    .filter((change) => change.deviceId === device.id && change.code !== 801)
    .filter(({ kind, quiet }) => kind === 'raised' && !quiet)
    .map(({ code }) => code);
/** Alarms that a webhook named as raised, with the time of each. */
const notified = () =>
  service.heard
    .map(({ body }) => JSON.parse(body))
    .filter(({ kind }) => kind === 'raised')
    .flatMap(({ list }) => list as { typeNumber: number; time: string }[])
    .filter(({ typeNumber }) => typeNumber !== 801);

it('severe alarms of a backlog that still hold pop up and are notified once each, with their own time', async () => {
  const began = new Date(world.clock.now() - 120 * minute).toISOString();
  await happened(120, 502);
  await happened(120, 303);
  await happened(120, 802);
  await happened(110, 804, { eid: 'gone' });
  await happened(109, 804, { eid: 'gone', st: 'clear' });
  await passes(10_000);
  expect(popUps()).toEqual([]);
  await eventually(async () => {
    await passes(minute);
    return popUps().length === 2;
  });
  await passes(3 * minute);
  expect(popUps().sort()).toEqual([303, 502]);
  expect(
    notified()
      .map((alarm) => alarm.typeNumber)
      .sort(),
  ).toEqual([303, 502]);
  expect(notified().map((alarm) => alarm.time)).toEqual([began, began]);
});
it('an alarm of a backlog pops up as it arrives when it is younger than 15 minutes, and not again', async () => {
  await happened(10, 303);
  expect(popUps()).toEqual([303]);
  await passes(4 * minute);
  expect(popUps()).toEqual([303]);
  expect(notified().map((alarm) => alarm.typeNumber)).toEqual([303]);
});

it('severe alarms of a backlog that does not end are announced after a quarter of an hour', async () => {
  await happened(120, 303);
  const goesOn = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 0.5) {
      const late = { bf: 1, t: world.clock.now() - 60 * minute, ln: [{ n: 1, sw: 1, U: { a: 220 } }] };
      await world.publish(device, 'tele', late);
      await passes(minute / 2);
    }
  };
  await goesOn(14);
  expect(popUps()).toEqual([]);
  await goesOn(3);
  await eventually(async () => popUps().length === 1, { withinMs: 5000 });
});

describe('after the server’s clock was set back by half an hour', () => {
  const states = async (code: number) =>
    (
      await world.pool.query(
        'select level, suppressed_by is null as shown from alarms where device_id = $1 and code = $2 and cleared_at is null',
        [device.id, code],
      )
    ).rows;
  it('a delay that was running ends as soon as without that', async () => {
    await world.report(device, { U: { a: 275 } });
    world.clock.step(-30 * minute);
    for (let report = 0; report < 3; report += 1) {
      world.clock.advance(10_000);
      await world.report(device, { U: { a: 275 } });
    }
    expect(await states(101)).toEqual([{ level: 2, shown: true }]);
  });
  it('a severe alarm of a backlog that was complete before it is announced', async () => {
    await happened(120, 303);
    world.clock.step(-30 * minute);
    await passes(3 * minute);
    await eventually(async () => popUps().length === 1, { withinMs: 5000 });
  });
});

it('a trip is a new one although the server restarts after a late reading showed that the one before had gone', async () => {
  const line = device.lines.find(({ n }) => n === 1)!;
  const tripPlace = async () =>
    (
      await world.db
        .selectFrom('line_trips')
        .select('place')
        .where('line_id', '=', line.id)
        .executeTakeFirstOrThrow()
    ).place;
  await world.report(device, { sw: 0, trip: 301 });
  const first = await tripPlace();
  const again = async () => {
    world.leave();
    await world.restart();
    await world.connect(device);
  };
  await again();
  await world.report(device, { sw: 0, trip: 301 });
  expect(await tripPlace()).toBe(first);
  world.clock.advance(2 * minute);
  const late = { bf: 1, t: world.clock.now() - minute, ln: [{ n: 1, sw: 0, trip: 0 }] };
  await world.publish(device, 'tele', late);
  await again();
  await world.report(device, { sw: 0, trip: 301 });
  expect(Number(await tripPlace())).toBeGreaterThan(Number(first));
});
