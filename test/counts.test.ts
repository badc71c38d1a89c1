/**
 * Every screen counts each alarm in the same way, in every state and for every role. Source:
 * docs/decisions/0085-which-alarms-count.md
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAlarm, shelveAlarm } from './alarm-factory.ts';
import { bindAll } from './all-features.ts';
import { makeDevice, makePart, makeProject, makeUser } from './factories.ts';
import { type Client, createWorld, type World } from './world.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
type Device = Awaited<ReturnType<typeof makeDevice>>;

let world: World;
let adminId: number;
let projects: { id: number }[];
let devices: Device[];
let people: Record<string, Client>;

beforeAll(async () => {
  world = await createWorld((serve, parts) => bindAll(serve, parts));
  const { db } = world;
  const shanghai = await makeProject(db, { region_id: 310000 });
  const shenzhen = await makeProject(db);
  const nanshan = await makeProject(db);
  projects = [shanghai, shenzhen, nanshan];
  const [east, west] = [await makePart(db, shenzhen.id), await makePart(db, shenzhen.id)];
  devices = [
    await makeDevice(db, { project_id: shanghai.id, lines: 2 }),
    await makeDevice(db, { project_id: shenzhen.id, part_id: east.id, lines: 2 }),
    await makeDevice(db, { project_id: shenzhen.id, part_id: west.id }),
    await makeDevice(db, { project_id: nanshan.id }),
  ];
  const as = async (given: Parameters<typeof makeUser>[1]) => world.as((await makeUser(db, given)).id);
  const ofEast = { id: shenzhen.id, parts: [east.id] };
  people = {
    administrator: await as({ role: 1 }),
    'administrator of a region': await as({ role: 2, region_id: 440000 }),
    'of projects': await as({ role: 3, projects: [shenzhen, nanshan] }),
    'of a part': await as({ role: 3, projects: [ofEast] }),
    'of a part and a project': await as({ role: 3, projects: [ofEast, shanghai] }),
    'for parts only': await as({ role: 32, projects: [ofEast, nanshan] }),
    'of a region': await as({ role: 40, letters: 'ABCDEFGHIJKLMN', region_id: 440300 }),
    'of nothing': await as({ role: 40, letters: 'ABCDEFGHIJKLMN' }),
  };
  adminId = people['administrator']!.userId;
});
afterAll(() => world.close());

const state = fc.record({
  /** A device's line, the device itself, or an outage of the whole project. */
  place: fc.constantFrom('line', 'last line', 'device', 'project'),
  device: fc.nat(3),
  /** The alarm was raised before the device came to its project. */
  former: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(2) }),
  level: fc.constantFrom(1 as const, 2 as const),
  cleared: fc.boolean(),
  handled: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  suppressed: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  deleted: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  shelved: fc.constantFrom('no', 'no', 'still', 'over', 'risen since'),
  daysAgo: fc.constantFrom(0, 0, 1, 40),
});

const build = async (states: readonly (typeof state extends fc.Arbitrary<infer One> ? One : never)[]) => {
  const { db, pool, clock } = world;
  for (const table of ['shelved_alarms', 'alarms', 'alarm_tallies'] as const)
    await db.deleteFrom(table).execute();
  // Afterwards the dashboard's cache of past days has expired.
  clock.advance(10 * 60_000);
  const now = clock.now();
  for (const [index, given] of states.entries()) {
    const device = devices[given.device]!;
    const whole = given.place === 'project';
    const project_id = given.former === null || whole ? device.project_id : projects[given.former]!.id;
    const line = { line: device.lines[0], 'last line': device.lines.at(-1), device: device.deviceLine };
    const id = await makeAlarm(
      pool,
      {
        ...device,
        id: whole ? 0 : device.id,
        project_id,
        part_id: whole || given.former !== null ? null : device.part_id,
      },
      {
        at: now - given.daysAgo * dayMs - index * 1000,
        lineId: given.place === 'project' ? -project_id! : line[given.place]!.id,
        code: 101 + index,
        level: given.level,
        cleared: given.cleared,
        handled: given.handled,
        suppressed: given.suppressed,
        deleted: given.deleted,
      },
    );
    if (given.shelved !== 'no')
      await shelveAlarm(pool, id, {
        by: adminId,
        at: now - 2 * hourMs,
        until: now + (given.shelved === 'over' ? -hourMs : hourMs),
        level: given.shelved === 'risen since' ? given.level - 1 : given.level,
      });
  }
};

const worstOf = (rows: readonly { level: number }[]) => Math.max(0, ...rows.map((row) => row.level));
interface AlarmSeen {
  id: number;
  level: number;
}

const compare = async (who: string, { call }: Client) => {
  const ask = async (path: string, body: object = {}) => {
    const answer = await call(path, body);
    expect(answer.code, `${who} ${path}`).toBe(200);
    return answer.data;
  };
  const alarms = async (filter: object): Promise<{ total: number; list: AlarmSeen[] }> => {
    const found = await ask('/device_warning/WarningList', { limit: 200, ...filter });
    expect(found.list, `${who}: a page holds all`).toHaveLength(found.total);
    return found;
  };
  const waiting = (filter: object = {}) => alarms({ status: 'unprocessed', ...filter });
  const since = { from: '2026-11-01T00:00:00+08:00' };

  const overview = await ask('/index/census');
  const points: { project_id: number; worst: number }[] = (await ask('/index/getProjectPlace')).list;
  const map: { project_id: number; unprocessed: number; worst: number }[] =
    points.length === 0
      ? []
      : (await ask('/index/get_project_places', { project_ids: points.map(({ project_id }) => project_id) }))
          .list;
  expect(
    map.map(({ worst }) => worst),
    who,
  ).toEqual(points.map(({ worst }) => worst));
  const listed: { project_id: number; unprocessed: number; worst: number; month_raised: number }[] = (
    await ask('/Project/get_project_list', { limit: 200 })
  ).list;
  const raised = async (filter: object) =>
    (await alarms({ ...since, ...filter })).total +
    (await alarms({ ...since, ...filter, shelved: true })).total;

  const all = await waiting();
  expect(
    {
      overview: overview.unprocessed,
      alarms: overview.unprocessed_alarms,
      early: overview.unprocessed_early_warnings,
      active: overview.active,
      month: overview.month_raised,
      tips: (await ask('/device_warning/get_news_tips')).unprocessed,
      map: map.reduce((sum, place) => sum + place.unprocessed, 0),
      projects: listed.reduce((sum, project) => sum + project.unprocessed, 0),
      projectsMonth: listed.reduce((sum, project) => sum + project.month_raised, 0),
    },
    who,
  ).toEqual({
    overview: all.total,
    alarms: all.list.filter((row) => row.level === 2).length,
    early: all.list.filter((row) => row.level === 1).length,
    active: (await alarms({ active: true })).total,
    month: await raised({}),
    tips: all.total,
    map: all.total,
    projects: all.total,
    projectsMonth: await raised({}),
  });
  const census = await ask('/device_warning/warin_census', {});
  expect({ unprocessed: census.unprocessed, active: census.active }, who).toEqual({
    unprocessed: all.total,
    active: overview.active,
  });

  for (const { project_id, unprocessed, worst } of listed) {
    const found = await waiting({ project_id });
    const expected = {
      unprocessed: found.total,
      worst: worstOf((await waiting({ project_id, active: true })).list),
    };
    const onMap = map.find((place) => place.project_id === project_id);
    expect({ unprocessed, worst }, `${who}: project`).toEqual(expected);
    expect({ unprocessed: onMap?.unprocessed, worst: onMap?.worst }, `${who}: map`).toEqual(expected);
  }

  const held: { device_id: number; alarms: number; worst: number }[] = (
    await ask('/Device/get_device_list', { limit: 200 })
  ).list;
  const devicePoints: { device_id: number; worst: number }[] = (await ask('/Device/map')).list;
  for (const { device_id, alarms: count, worst } of held) {
    const active = await waiting({ device_id, active: true });
    expect(
      { count, worst, map: devicePoints.find((point) => point.device_id === device_id)?.worst },
      `${who}: device`,
    ).toEqual({
      count: (await waiting({ device_id })).total,
      worst: worstOf(active.list),
      map: worstOf(active.list),
    });
    const cards: { line_id: number; alarms: AlarmSeen[] }[] = (
      await ask('/device_line/get_list', { device_id })
    ).list;
    for (const card of cards) {
      const onLine = await alarms({ line_id: card.line_id, active: true });
      expect(card.alarms.map(({ id }) => id).sort(), `${who}: line card`).toEqual(
        onLine.list.map(({ id }) => id).sort(),
      );
    }
  }
};

it('overview, map, project list, device list, line cards and alarm list show the same counts, for every role', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 14 }), async (states) => {
      await build(states);
      for (const [who, client] of Object.entries(people)) await compare(who, client);
    }),
    { numRuns: 6 },
  );
});
