import fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GroupFinding } from '#server/core/group.ts';
import { lineRoutes } from '#server/lines/lines.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { makeAlarm } from '#test/alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { type Client, createWorld, type World } from '#test/world.ts';
import { alarmRoutes } from './alarms.routes.ts';
import { createSurvey } from './device-health.ts';
import { floodSince } from './flood.ts';

const minute = 60_000;

describe('a flood', () => {
  const times = (count: number, every: number) => Array.from({ length: count }, (_, index) => index * every);
  it('an alarm flood begins with the eleventh alarm within ten minutes', () => {
    expect(floodSince(times(10, 1000), 10_000)).toBeNull();
    expect(floodSince(times(11, 1000), 11_000)).toBe(10_000);
    expect(floodSince(times(30, minute + 1), 30 * minute)).toBeNull();
  });
  it('an alarm flood lasts while at least five alarms come in ten minutes', () => {
    const storm = [
      ...times(20, 1000),
      ...Array.from({ length: 10 }, (_, index) => (index + 1) * 1.9 * minute),
    ];
    expect(floodSince(storm, 20 * minute)).toBe(10_000);
    expect(floodSince(storm, 24 * minute)).toBeNull();
    expect(floodSince([...storm, 60 * minute], 60 * minute)).toBeNull();
  });
  it('gives the same result as a check minute by minute', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 * 60 }), { maxLength: 80 }), (seconds) => {
        const sorted = [...seconds].sort((a, b) => a - b).map((second) => second * 1000);
        const now = 40 * minute;
        let watched = false;
        for (let at = 0; at <= now; at += 1000) {
          const count = (until: number) =>
            sorted.filter((time) => time <= until && until - time < 10 * minute).length;
          // Alarms within one second are counted in order: those that leave the window first, then the new
          // ones.
          const before = sorted.filter((time) => time < at && at - time < 10 * minute).length;
          if (before < 5) watched = false;
          if (count(at) > 10) watched = true;
          if (count(at) < 5) watched = false;
        }
        expect(floodSince(sorted, now) !== null).toBe(watched);
      }),
      { numRuns: 60 },
    );
  });
});

describe('over the estate', () => {
  let world: World;
  let operator: Client;
  let stranger: Client;
  let project: { id: number };
  beforeAll(async () => {
    world = await createWorld((serve) => {
      alarmRoutes(serve);
      lineRoutes(serve, { provePassword });
    });
    project = await makeProject(world.db, { name: 'Harbour' });
    const other = await makeProject(world.db);
    operator = await world.as((await makeUser(world.db, { role: 3, projects: [project] })).id);
    stranger = await world.as((await makeUser(world.db, { role: 3, projects: [other] })).id);
  });
  afterAll(() => world.close());

  it('the flood of a scope is shown with its projects and devices, and to users of that scope only', async () => {
    const devices = await Promise.all([1, 2, 3].map(() => makeDevice(world.db, { project_id: project.id })));
    for (let n = 0; n < 12; n += 1)
      await makeAlarm(world.pool, devices[n % 3]!, { at: world.clock.now() - n * 1000, code: 101 + n });
    const { data } = await operator.call('/device_warning/flood');
    expect(data).toMatchObject({
      active: true,
      count: 12,
      groups: [{ project_name: 'Harbour', count: 12, critical: 12 }],
    });
    expect(data.groups[0].devices.map((device: { count: number }) => device.count)).toEqual([4, 4, 4]);
    expect((await stranger.call('/device_warning/flood')).data).toEqual({
      active: false,
      since: null,
      count: 0,
      groups: [],
    });
  });
  it('a line’s alarms are counted by day, level and type in its project’s zone', async () => {
    const device = await makeDevice(world.db, { project_id: project.id });
    const now = world.clock.now();
    await makeAlarm(world.pool, device, { at: now, code: 301 });
    await makeAlarm(world.pool, device, { at: now - 24 * 60 * minute, code: 101, level: 1, handled: true });
    const line_id = device.lines[0]!.id;
    const { data } = await operator.call('/device_line/warin_type_trend', { line_id, days: 3 });
    expect(
      data.days.map((day: { alarms: number; early_warnings: number }) => [day.alarms, day.early_warnings]),
    ).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
    expect(data.days[2].types).toEqual([{ typeNumber: 301, count: 1 }]);
    expect((await stranger.call('/device_line/warin_type_trend', { line_id })).status).toBe(404);
  });
  it('a link that is weak for 15 minutes raises 802, and a service about to expire raises 806', async () => {
    const found: GroupFinding[] = [];
    const { db, clock } = world;
    const survey = createSurvey({
      db,
      clock,
      record: async (finding) => void found.push(finding),
      log: pino({ level: 'silent' }),
    });
    const weak = await makeDevice(db, {
      project_id: project.id,
      online: true,
      last_seen: new Date(clock.now() + 20 * minute),
    });
    await db.updateTable('device_state').set({ rssi: -112 }).where('device_id', '=', weak.id).execute();
    const old = await makeDevice(db, { project_id: project.id });
    await db.updateTable('devices').set({ expires_on: '2026-12-10' }).where('id', '=', old.id).execute();
    const codes = () =>
      found
        .splice(0)
        .map(({ line, code, level, value, active }) => [line.deviceId, code, level, value, active]);
    await survey.look();
    expect(codes()).toEqual([[old.id, 806, 1, 20, true]]);
    clock.advance(15 * minute);
    await survey.look();
    expect(codes()).toEqual([
      [weak.id, 802, 2, -112, true],
      [old.id, 806, 1, 20, true],
    ]);
    const standing = await makeAlarm(
      world.pool,
      { ...old, lines: [old.deviceLine] },
      { at: clock.now(), code: 806, level: 1 },
    );
    await survey.look();
    expect(codes().filter(([id]) => id === old.id)).toEqual([]);
    await db.updateTable('devices').set({ expires_on: '2027-12-10' }).where('id', '=', old.id).execute();
    await survey.look();
    expect(codes()).toContainEqual([old.id, 806, 1, expect.any(Number), false]);
    expect(standing).toBeGreaterThan(0);
  });
});
