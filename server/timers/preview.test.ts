import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeProject, makeUser } from '#test/factories.ts';
import { makeSwitch, observe } from '#test/switches.ts';
import { createSwitchingWorld, type SwitchingWorld } from '#test/switching-world.ts';
import { eventually } from '#test/wait.ts';

let world: SwitchingWorld;
beforeAll(async () => {
  world = await createSwitchingWorld();
});
afterAll(() => world.close());

const dayMs = 86_400_000;
interface ShownRun {
  timer_id: number;
  at: string;
  conflict: boolean;
  wins: boolean;
}
/** Mostly around the hours at which clocks change. */
const times = fc
  .tuple(fc.constantFrom('23', '00', '01', '02', '03', '12'), fc.constantFrom('00', '30', '59'))
  .map((parts) => parts.join(':'));
const drafts = fc.array(
  fc.record({
    line: fc.nat(1),
    once: fc.boolean(),
    day: fc.nat(6),
    days: fc.integer({ min: 1, max: 127 }),
    time: times,
    action: fc.constantFrom('open', 'close'),
  }),
  { minLength: 2, maxLength: 7 },
);

/** The week in which the clocks of each zone change, in order. */
const weeks = [
  ['America/New_York', '2027-03-11'],
  ['Europe/Berlin', '2027-03-25'],
  ['Australia/Lord_Howe', '2027-04-01'],
  ['Africa/Cairo', '2027-04-27'],
  ['Asia/Shanghai', '2028-02-26'],
] as const;

describe('the preview of the coming week equals the later runs', () => {
  test.each(weeks)('the preview for %s from %s equals the later runs', async (time_zone, from) => {
    const project = (await makeProject(world.db, { time_zone })).id;
    const zone = IANAZone.create(time_zone);
    world.clock.set(Date.parse(`${from}T09:00:00Z`));
    await fc.assert(
      fc.asyncProperty(drafts, async (given) => {
        const device = await makeSwitch(world, project, 2);
        const anna = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: project }] })).id);
        const begin = world.clock.now();
        for (const { line, once, day, days, time, action } of given) {
          const weekdays = Object.fromEntries(
            [1, 2, 3, 4, 5, 6, 7].map((n) => [`w${n}`, (days >> (n - 1)) & 1]),
          );
          const local = new Date(begin + zone.offset(begin) * 60_000 + day * dayMs);
          await anna.call('/device_timing/add_device_timing', {
            line_id: device.lines[line]!.id,
            time,
            action,
            ...(once
              ? { type: 'once', date: local.toISOString().slice(0, 10) }
              : { type: 'weekly', ...weekdays }),
          });
        }
        const { data } = await anna.call('/device_timing/preview', { device_id: device.id });
        const shown: ShownRun[] = data.runs;
        const runs = () =>
          world.db.selectFrom('timer_runs').selectAll().where('device_id', '=', device.id).execute();
        for (const at of new Set(shown.map((run) => Date.parse(run.at)))) {
          await world.db
            .updateTable('device_state')
            .set({ last_seen: new Date(at) })
            .where('device_id', '=', device.id)
            .execute();
          for (const line of device.lines) await observe(world.db, line.id, at);
          world.clock.set(at);
          const expected = shown.filter((run) => Date.parse(run.at) === at).length;
          await eventually(async () => {
            const now = (await runs()).filter((run) => run.due_at.getTime() === at);
            return now.length >= expected && now.every((run) => run.outcome !== 'due');
          });
        }
        world.clock.set(Date.parse(data.to));
        await world.control.settled();
        const key = (id: number, at: string) => `${at} ${id}`;
        const came = await runs();
        expect(came.map((run) => key(run.timer_id, run.due_at.toISOString())).sort()).toEqual(
          shown.map((run) => key(run.timer_id, run.at)).sort(),
        );
        for (const run of came) {
          const about = shown.find(
            (one) => one.timer_id === run.timer_id && one.at === run.due_at.toISOString(),
          )!;
          const loses = about.conflict && !about.wins;
          expect(run.reason === 'timer.openWins').toBe(loses);
          expect(['fired', 'skipped']).toContain(run.outcome);
        }
        await world.db.deleteFrom('timers').where('device_id', '=', device.id).execute();
      }),
      { numRuns: 2 },
    );
  });
});
