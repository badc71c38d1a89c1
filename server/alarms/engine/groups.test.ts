/** Alarms that belong together across devices, compared with what the domain reference §3.2 rule 5 allows. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LineRef } from '#server/core/group.ts';
import { makeDevice, makePart, makeProject } from '#test/factories.ts';
import { becomes } from '#test/wait.ts';
import { type AlarmWorld, createAlarmWorld } from '../alarms.world.ts';
import { chatteringTag } from './memory.ts';

let server: AlarmWorld;
interface Place {
  project_id: number;
  part_id: number | null;
}
let places: Place[];
let lines: LineRef[];

beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
const begin = async () => {
  await server.renew();
  const { db } = server.world;
  const projectId = server.line.projectId!;
  places = [
    { project_id: projectId, part_id: null },
    { project_id: projectId, part_id: (await makePart(db, projectId)).id },
    { project_id: (await makeProject(db)).id, part_id: null },
  ];
  lines = [];
  for (const place of [0, 0, 0, 1, 2]) {
    const device = await makeDevice(db, {
      project_id: places[place]!.project_id,
      part_id: places[place]!.part_id,
    });
    lines.push({
      ...server.line,
      deviceId: device.id,
      lineId: device.lines[0]!.id,
      deviceLineId: device.deviceLine.id,
      projectId: places[place]!.project_id,
      partId: places[place]!.part_id,
    });
  }
};
beforeEach(begin);

const raise = (n: number, seconds: number, code = 102) =>
  server.event(seconds, { st: 'raise', code, lvl: 1, eid: `${n}-${code}` }, lines[n]);
const clear = (n: number, seconds: number, code = 102) =>
  server.event(seconds, { st: 'clear', code, lvl: 1, eid: `${n}-${code}` }, lines[n]);
const strays = async () =>
  (
    await server.world.pool.query(`select a.id from alarms a join devices d on d.id = a.device_id
      where a.cleared_at is null and (d.deleted_at is not null
        or a.project_id is distinct from d.project_id or a.part_id is distinct from d.part_id)`)
  ).rowCount;
/** Until the review of each minute has followed the devices. */
const settled = async () => {
  if ((await strays()) === 0) return;
  server.world.clock.advance(60_000);
  await becomes(strays, 0);
};
const move = async (n: number, place: number) => {
  await server.world.db
    .updateTable('devices')
    .set(places[place]!)
    .where('id', '=', lines[n]!.deviceId)
    .execute();
  await settled();
  lines[n] = { ...lines[n]!, projectId: places[place]!.project_id, partId: places[place]!.part_id };
};
const remove = async (n: number) => {
  await server.world.pool.query('update devices set deleted_at = now() where id = $1', [lines[n]!.deviceId]);
  await settled();
};
const active = async () =>
  (
    await server.world.pool.query<{
      device: number;
      code: number;
      place: string;
      parent: number | null;
      of: number | null;
      at: number;
      first: string | null;
      over: boolean | null;
      chained: boolean | null;
      where: string | null;
      tags: string[];
    }>(`select a.device_id as device, a.code, a.project_id || '/' || coalesce(a.part_id, 0) as place,
        a.suppressed_by as parent, p.device_id as of, extract(epoch from a.raised_at)::float8 as at,
        p.cleared_at is not null as over, p.suppressed_by is not null as chained,
        p.project_id || '/' || coalesce(p.part_id, 0) as where, a.tags
      from alarms a left join alarms p on p.id = a.suppressed_by
      where a.cleared_at is null order by a.raised_at, a.id`)
  ).rows;
const shown = async () =>
  (await active())
    .filter(({ parent }) => parent === null)
    .map(({ device }) => lines.findIndex((line) => line.deviceId === device));

it('shows the others of a busbar at once when the device of the first moves to another project', async () => {
  for (const n of [0, 1, 2]) await raise(n, n);
  expect(await shown()).toEqual([0]);
  await move(0, 2);
  expect((await shown()).sort()).toEqual([0, 1]);
});
it('shows the others of a busbar at once when the device of the first is removed', async () => {
  for (const n of [0, 1, 2]) await raise(n, n);
  await remove(0);
  expect(await shown()).toEqual([1]);
});
it('the oldest of those that remain takes over, in whatever order they arrived, also after a restart', async () => {
  for (const restarts of [false, true]) {
    await begin();
    await raise(0, 60);
    await raise(1, 63);
    await raise(2, 61);
    if (restarts) await server.restart();
    await clear(0, 80);
    expect(await shown()).toEqual([2]);
  }
});

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('raise' as const),
      n: fc.constantFrom(0, 0, 1, 1, 2, 2, 3, 4),
      code: fc.constantFrom(101, 102),
      before: fc.nat(20),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('clear' as const), place: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), n: fc.nat(4), to: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('remove' as const), n: fc.nat(4) }),
      fc.record({ kind: fc.constantFrom('handle' as const, 'restart' as const) }),
    ),
  },
);
it('an alarm is hidden only behind an active one of the same place, whatever is moved, removed, handled or restarted', async () => {
  let hidden = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      await begin();
      const open = new Set<string>();
      const gone = new Set<number>();
      let now = 0;
      for (const what of steps) {
        now += 30;
        if (what.kind === 'raise' && !gone.has(what.n) && !open.has(`${what.n} ${what.code}`)) {
          await raise(what.n, now - what.before, what.code);
          open.add(`${what.n} ${what.code}`);
        } else if (what.kind === 'clear') {
          const one = [...open][what.place % Math.max(1, open.size)];
          if (one === undefined) continue;
          open.delete(one);
          const [n = 0, code] = one.split(' ').map(Number);
          await clear(n, now, code);
        } else if (what.kind === 'move' && !gone.has(what.n)) await move(what.n, what.to);
        else if (what.kind === 'remove' && gone.size < 2) {
          gone.add(what.n);
          for (const one of open) if (one.startsWith(`${what.n} `)) open.delete(one);
          await remove(what.n);
        } else if (what.kind === 'handle') await server.handleAll();
        else if (what.kind === 'restart') await server.restart();
        const found = await active();
        const nameOf = ({ device, code }: (typeof found)[number]) =>
          `${lines.findIndex(({ deviceId }) => deviceId === device)} ${code}`;
        // One that chatters is held beyond its end.
        const held = found.filter(({ tags }) => tags.includes(chatteringTag)).map(nameOf);
        expect(found.map(nameOf).sort()).toEqual([...new Set([...open, ...held])].sort());
        for (const row of found.filter(({ parent }) => parent !== null)) {
          hidden += 1;
          expect(row).toMatchObject({ over: false, chained: false, where: row.place });
        }
      }
    }),
    { numRuns: 30 },
  );
  expect(hidden).toBeGreaterThan(5);
});
