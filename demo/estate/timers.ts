import type { Db } from '#database/connect.ts';
import { nextRun, type TimerRule, zoneNamed } from '#server/timers/timers.rules.ts';
import type { FurnishedDevice, FurnishedLine } from './devices.ts';
import { zone } from './load.ts';
import type { FurnishedPlace, FurnishedUser } from './people.ts';

interface TimerSeed {
  /** Index of the project, and the line's name there. */
  place: number;
  line: string;
  author: string;
  action: 'open' | 'close';
  time: string;
  /** Weekly on these days; or once, in this many days. */
  days?: number;
  inDays?: number;
  heldByDevice?: true;
  disabled?: true;
}
const workdays = 0b0011111;
const weekend = 0b1100000;
const everyDay = 0b1111111;
const dayMs = 86_400_000;

const night = (line: string): readonly TimerSeed[] => [
  { place: 2, line, author: 'dorm-1', action: 'open', time: '23:00', days: everyDay },
  { place: 2, line, author: 'dorm-1', action: 'close', time: '06:30', days: everyDay },
];
/** Timers of the users in the estate. */
const seeds: readonly TimerSeed[] = [
  { place: 0, line: '1F大堂照明', author: 'office-sz', action: 'close', time: '07:30', days: workdays },
  { place: 0, line: '1F大堂照明', author: 'office-sz', action: 'open', time: '19:00', days: workdays },
  { place: 0, line: '1F走廊照明', author: 'admin', action: 'close', time: '07:30', days: workdays },
  { place: 0, line: '1F走廊照明', author: 'admin', action: 'open', time: '19:00', days: workdays },
  { place: 0, line: '投影设备', author: 'office-sz', action: 'open', time: '21:00', inDays: 1 },
  ...['201室', '202室', '203室'].flatMap(night),
  { place: 1, line: '工位照明', author: 'workshop-3', action: 'open', time: '22:00', days: workdays },
  {
    place: 3,
    line: '扶梯照明',
    author: 'operations',
    action: 'close',
    time: '09:00',
    days: weekend,
    disabled: true,
  },
  { place: 6, line: '2F教室插座', author: 'operations', action: 'open', time: '18:30', inDays: 2 },
  {
    place: 8,
    line: 'A区摊位',
    author: 'operations',
    action: 'open',
    time: '20:30',
    days: everyDay,
    heldByDevice: true,
  },
  {
    place: 8,
    line: 'A区摊位',
    author: 'operations',
    action: 'close',
    time: '04:30',
    days: everyDay,
    heldByDevice: true,
  },
  { place: 9, line: '升降平台', author: 'logistics', action: 'open', time: '20:00', days: workdays },
];

/** Lines whose switching by a timer would surprise nobody: not critical, standby or open. */
const isOrdinary = (line: FurnishedLine): boolean =>
  line.switchable && !line.critical && !line.standby && !line.open;

/** A few timers by users who may set them. Returns how many. */
export const furnishTimers = async (
  db: Db,
  places: readonly FurnishedPlace[],
  devices: readonly FurnishedDevice[],
  people: readonly FurnishedUser[],
  now: number,
): Promise<number> => {
  const slots = new Map<number, number>();
  for (const seed of seeds) {
    const found = devices
      .filter((device) => device.projectId === places[seed.place]!.id && device.silentSince === null)
      .flatMap((device) => device.lines.map((line) => ({ device, line })))
      .find(({ line }) => line.name === seed.line && isOrdinary(line));
    const author = people.find(({ username }) => username === seed.author);
    if (!found || !author)
      throw new Error(`The estate has no line ${seed.line} or nobody called ${seed.author}.`);
    const { device, line } = found;
    const local = new Date(now + (seed.inDays ?? 0) * dayMs + 8 * 3_600_000).toISOString().slice(0, 10);
    const rule: TimerRule =
      seed.days === undefined
        ? { type: 'once', days: 0, date: local, time: seed.time }
        : { type: 'weekly', days: seed.days, date: null, time: seed.time };
    const next = nextRun(rule, zoneNamed(zone), now);
    const slot = seed.heldByDevice ? (slots.get(device.id) ?? 0) + 1 : null;
    if (slot !== null) slots.set(device.id, slot);
    await db
      .insertInto('timers')
      .values({
        ...rule,
        device_id: device.id,
        line_id: line.id,
        project_id: device.projectId,
        action: seed.action,
        enabled: seed.disabled !== true,
        run_by: slot === null ? 'server' : 'device',
        slot,
        done_at: null,
        zone,
        next_at: seed.disabled || next === null ? null : new Date(next),
        author_id: author.id,
        created_at: new Date(now),
      })
      .execute();
  }
  for (const deviceId of slots.keys())
    await db
      .insertInto('timer_copies')
      .values({
        device_id: deviceId,
        state: 'pending',
        reason: null,
        zone: null,
        push_id: null,
        pushed_at: null,
        changed_at: new Date(now),
      })
      .execute();
  return seeds.length;
};
