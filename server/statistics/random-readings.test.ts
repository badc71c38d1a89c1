/**
 * Random readings with gaps, resets and late values, of devices that change hands, in time zones of half and quarter
 * hours on days when their clocks change. Every sum of the product is compared with a slow model over the readings,
 * which shares no function with it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDevice, makePart, makeProject, makeUser } from '#test/factories.ts';
import type { Client } from '#test/world.ts';
import { type MeteredWorld, meteredWorld, type SentReading } from './metered.world.ts';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zones = ['America/St_Johns', 'Asia/Kathmandu', 'Pacific/Chatham', 'Australia/Lord_Howe'];
const holdMs = 45 * minuteMs;
/** With as much time as this between two readings their energy has no known time. */
const longMs = 2 * hourMs;
/** The product rounds energy of a figure to the microwatt-hour. */
const alike = 1e-4;

const randomOf = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

interface Owned {
  project: number;
  part: number | null;
  since: number;
  until: number;
  incoming: boolean;
}
interface Kept {
  id: number;
  lineId: number;
  number: string;
  secret: string;
  readings: SentReading[];
  /** Readings that are sent later. */
  held: SentReading[];
  owned: Owned[];
  hasRegister: boolean;
  register: number;
  measuredUntil: number;
}
interface Project {
  id: number;
  parts: number[];
  zone: string;
}

let world: MeteredWorld;
beforeAll(async () => {
  world = await meteredWorld();
});
afterAll(() => world.close());

const clocks = new Map<string, Intl.DateTimeFormat>();
/** The local day of an instant. */
const dayIn = (zone: string, at: number): string => {
  const known = clocks.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  clocks.set(zone, known);
  return known.format(at);
};
const quarterOf = (at: number) => Math.floor(at / quarterMs) * quarterMs;
const ownerAt = (owned: readonly Owned[], at: number) =>
  owned.find(({ since, until }) => at >= since && at < until);

/** Energy of each quarter of an hour of a device, by its readings alone. */
const quartersOf = (device: Kept, zoneOf: (project: number | undefined) => string): Map<number, number> => {
  const sums = new Map<number, number>();
  const add = (at: number, kWh: number) => sums.set(quarterOf(at), (sums.get(quarterOf(at)) ?? 0) + kWh);
  const spread = (from: number, to: number, kWh: number) => {
    for (let at = from; at < to; at = Math.min(to, quarterOf(at) + quarterMs))
      add(at, (kWh * (Math.min(to, quarterOf(at) + quarterMs) - at)) / (to - from));
  };
  /** One share for each owner and local day, at its end. */
  const share = (from: number, to: number, kWh: number) => {
    let start = from;
    const key = (at: number) => {
      const owner = ownerAt(device.owned, at);
      return `${owner?.since} ${dayIn(zoneOf(owner?.project), at)}`;
    };
    for (let at = quarterOf(from) + quarterMs; at < to; at += quarterMs)
      if (key(at) !== key(at - quarterMs)) {
        add(at - 1, (kWh * (at - start)) / (to - from));
        start = at;
      }
    add(to, (kWh * (to - start)) / (to - from));
  };
  const sorted = device.readings.toSorted((a, b) => a.at - b.at);
  let last: SentReading | undefined;
  for (const reading of sorted) {
    if (device.hasRegister) {
      if (reading.kWh === undefined) continue;
      // Jitter, which the register leaves behind with a later value.
      if (last && reading.kWh < last.kWh! && last.kWh! - reading.kWh <= 0.05) continue;
      if (last) {
        const kWh = reading.kWh >= last.kWh! ? reading.kWh - last.kWh! : reading.kWh;
        (reading.at - last.at > longMs ? share : spread)(last.at, reading.at, kWh);
      }
    } else if (last && reading.at - last.at <= holdMs)
      spread(
        last.at,
        reading.at,
        ((last.watts! + reading.watts!) / 2000) * ((reading.at - last.at) / hourMs),
      );
    last = reading;
  }
  return sums;
};

/** Every quarter of an hour of a part of a project. */
const quartersOfPart = (part: number, sums: ReadonlyMap<Kept, Map<number, number>>) => {
  const found = new Map<number, number>();
  for (const [device, quarters] of sums)
    for (const [at, kWh] of quarters) {
      const owner = ownerAt(device.owned, at);
      if (owner?.part === part && !owner.incoming) found.set(at, (found.get(at) ?? 0) + kWh);
    }
  return found;
};

/** Every quarter of an hour of a project: of its incoming lines while it has one, otherwise of all. */
const quartersIn = (
  project: number,
  devices: readonly Kept[],
  sums: ReadonlyMap<Kept, Map<number, number>>,
) => {
  const found = new Map<number, number>();
  const isFed = (at: number) =>
    devices.some(({ owned }) => {
      const owner = ownerAt(owned, at);
      return owner?.project === project && owner.incoming;
    });
  for (const device of devices)
    for (const [at, kWh] of sums.get(device)!) {
      const owner = ownerAt(device.owned, at);
      if (owner?.project !== project || (isFed(at) && !owner.incoming)) continue;
      found.set(at, (found.get(at) ?? 0) + kWh);
    }
  return found;
};
const sumOf = (quarters: ReadonlyMap<number, number>, from: number, to: number) =>
  [...quarters].reduce((sum, [at, kWh]) => (at >= from && at < to ? sum + kWh : sum), 0);
const nextDay = (day: string) => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
/** The first quarter of a local day. */
const beginningOf = (zone: string, day: string): number => {
  let at = Date.parse(day) - dayMs;
  while (dayIn(zone, at) < day) at += quarterMs;
  return at;
};

const ask = async (admin: Client, path: string, body: object) => {
  const { status, data, msg } = await admin.call(path, body);
  expect(status, `${path} ${JSON.stringify(body)}: ${msg}`).toBe(200);
  return data;
};

/** Days of random life, and then the figures of every project and line. */
const live = async (seed: number, begins: string, days: number): Promise<void> => {
  const random = randomOf(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const chance = (share: number) => random() < share;
  const begin = Date.parse(begins);
  const end = begin + days * dayMs;
  world.clock.set(begin);
  const projects: Project[] = [];
  for (const zone of zones) {
    const { id } = await makeProject(world.db, { time_zone: zone });
    const parts = [(await makePart(world.db, id)).id, (await makePart(world.db, id)).id];
    projects.push({ id, zone, parts });
  }
  const zoneOf = (id: number | undefined, otherwise = 'Asia/Shanghai') =>
    projects.find((project) => project.id === id)?.zone ?? otherwise;
  const devices: Kept[] = [];
  for (let index = 0; index < 4; index += 1) {
    const project = projects[index % projects.length]!;
    const device = await makeDevice(world.db, { project_id: project.id, rated_current: 63 });
    await world.pool.query('update devices set upload_seconds = 900, bound_at = $2 where id = $1', [
      device.id,
      new Date(begin),
    ]);
    devices.push({
      id: device.id,
      lineId: device.lines[0]!.id,
      number: device.number,
      secret: device.secret,
      readings: [],
      held: [],
      owned: [
        { project: project.id, part: null, since: begin, until: Number.POSITIVE_INFINITY, incoming: false },
      ],
      hasRegister: index < 3,
      register: Math.floor(between(100, 5000)),
      measuredUntil: begin,
    });
  }
  /** What a device measures until an instant: now and then a gap or a reset. */
  const measure = (device: Kept, until: number): SentReading[] => {
    const made: SentReading[] = [];
    for (;;) {
      const wait = chance(0.02)
        ? between(1, 30) * hourMs
        : chance(0.1)
          ? between(15, 100) * minuteMs
          : 15 * minuteMs;
      const at = Math.round((device.measuredUntil + wait) / 1000) * 1000;
      if (at > until) return made;
      const watts = Math.round(between(100, 6000));
      device.register += (watts / 1000) * ((at - device.measuredUntil) / hourMs);
      if (device.hasRegister && chance(0.01)) device.register = between(0, 0.1);
      device.measuredUntil = at;
      const kWh = Math.round(device.register * 100) / 100;
      device.register = kWh;
      const isBare = chance(0.05);
      const reading = { at, watts, ...(device.hasRegister && !isBare ? { kWh } : {}) };
      device.readings.push(reading);
      made.push(reading);
    }
  };
  const moves: string[] = [];
  for (let now = begin; now < end; ) {
    now = Math.min(end, now + Math.round(between(1, 9) * hourMs));
    world.clock.set(now);
    for (const device of devices) {
      const made = measure(device, now);
      if (now < end && chance(0.3)) {
        device.held.push(...made);
        continue;
      }
      const late = now === end || chance(0.4) ? device.held.splice(0) : [];
      await world.send(device, chance(0.5) ? [...late, ...made] : [...made, ...late]);
    }
    await world.rollUp(new Date(now).toISOString());
    if (now === end) break;
    const admin = await world.admin();
    const device = devices[Math.floor(random() * devices.length)]!;
    const present = device.owned.at(-1)!;
    const isOwned = present.until === Number.POSITIVE_INFINITY;
    if (chance(0.2) && isOwned) {
      const supplies = present.incoming ? 'none' : 'project';
      await ask(admin, '/statistics/set_incoming', { line_id: device.lineId, supplies });
      // Also in the parts of the project where the device was before.
      for (let index = device.owned.length - 1; index >= 0; index -= 1) {
        const owner = device.owned[index]!;
        if (owner.project !== present.project || owner.until < (device.owned[index + 1]?.since ?? 0)) break;
        owner.incoming = supplies === 'project';
      }
      moves.push(`${new Date(now).toISOString()} ${device.lineId} supplies ${supplies}`);
    } else if (chance(0.5)) {
      const to = chance(0.3)
        ? null
        : chance(0.3) && isOwned
          ? projects.find(({ id }) => id === present.project)!
          : projects[Math.floor(random() * projects.length)]!;
      const part = to && chance(0.6) ? to.parts[Math.floor(random() * 2)]! : null;
      const isThere = to?.id === present.project && part === present.part;
      if (isOwned ? isThere : to === null) continue;
      if (to === null) await ask(admin, '/Device/remove_device', { device_ids: [device.id] });
      else
        await ask(admin, '/Project/bind_device', {
          project_id: to.id,
          ...(part === null ? {} : { part_id: part }),
          device_ids: [device.id],
        });
      const incoming = isOwned && to?.id === present.project && present.incoming;
      if (isOwned) present.until = now;
      if (to)
        device.owned.push({ project: to.id, part, since: now, until: Number.POSITIVE_INFINITY, incoming });
      moves.push(`${new Date(now).toISOString()} ${device.lineId} to ${to?.id} ${part}`);
    }
  }
  for (let round = 1; round <= 3; round += 1)
    await world.rollUp(new Date(end + round * minuteMs).toISOString());

  const admin = await world.admin();
  const sums = new Map(devices.map((device) => [device, quartersOf(device, zoneOf)]));
  const wrong: string[] = [];
  let counted = 0;
  /** Null: without any reading, so that no energy is wanted either. */
  const compare = (what: string, given: number | null, wanted: number) => {
    if (Math.abs((given ?? 0) - wanted) > alike) wrong.push(`${what}: ${given} for ${wanted}`);
  };
  for (const { id, zone, parts } of projects) {
    const quarters = quartersIn(id, devices, sums);
    const [first_day, last_day] = [dayIn(zone, begin), dayIn(zone, end)];
    const from = beginningOf(zone, first_day);
    const to = beginningOf(zone, nextDay(last_day));
    const about = { project_id: id, period: 'custom', first_day, last_day };
    const energy = await ask(admin, '/statistics/energy_detail', about);
    const name = (more: string) => `seed ${seed}, ${zone}, ${more}`;
    compare(name('all'), energy.total.kwh, sumOf(quarters, from, to));
    counted += energy.total.kwh;
    for (const split of ['device', 'line']) {
      const { members } = await ask(admin, '/statistics/energy_detail', { ...about, split });
      const sum = members.reduce((all: number, { kwh }: { kwh: number }) => all + kwh, 0);
      compare(name(`by ${split}`), sum, sumOf(quarters, from, to));
    }
    for (const bucket of energy.buckets)
      compare(
        name(`day ${bucket.at}`),
        bucket.kwh,
        sumOf(quarters, Date.parse(bucket.at), Date.parse(bucket.to)),
      );
    const bill = await ask(admin, '/statistics/electricity', about);
    compare(name('electricity'), bill.total.kwh, sumOf(quarters, from, to));
    const load = await ask(admin, '/statistics/load', about);
    compare(name('load'), load.figures.energy_kwh, sumOf(quarters, from, to));
    for (let date = first_day, at = from; at < to; date = nextDay(date)) {
      const next = beginningOf(zone, nextDay(date));
      const ofDay = await ask(admin, '/statistics/energy_detail', { project_id: id, period: 'day', date });
      expect(ofDay.head.from).toBe(new Date(at).toISOString());
      expect(ofDay.buckets).toHaveLength(Math.ceil((next - at) / hourMs));
      compare(name(date), ofDay.total.kwh, sumOf(quarters, at, next));
      for (const [hour, bucket] of ofDay.buckets.entries())
        compare(
          name(`${date} hour ${hour}`),
          bucket.kwh,
          sumOf(quarters, at + hour * hourMs, Math.min(next, at + (hour + 1) * hourMs)),
        );
      at = next;
    }
    const month = await ask(admin, '/statistics/energy_detail', {
      project_id: id,
      period: 'month',
      date: last_day,
    });
    compare(
      name('month'),
      month.total.kwh,
      sumOf(quarters, Date.parse(month.head.from), Date.parse(month.head.to)),
    );
    for (const part of parts) {
      const ofPart = quartersOfPart(part, sums);
      const { total } = await ask(admin, '/statistics/energy_detail', { ...about, part_id: part });
      compare(name(`part ${part}`), total.kwh, sumOf(ofPart, from, to));
      const partLoad = await ask(admin, '/statistics/load', { ...about, part_id: part });
      compare(name(`load of part ${part}`), partLoad.figures.energy_kwh, sumOf(ofPart, from, to));
    }
    const manager = await world.as((await makeUser(world.db, { role: 3, projects: [{ id }] })).id);
    const census = await ask(manager, '/index/census', {});
    const today = beginningOf(zone, last_day);
    compare(name('today'), census.energy_today_kwh, sumOf(quarters, today, to));
    const yesterday = beginningOf(zone, dayIn(zone, today - 1));
    compare(name('yesterday'), census.energy_yesterday_kwh, sumOf(quarters, yesterday, today));
    const { list } = await ask(manager, '/index/get_site_ranking', {});
    compare(name('site'), list[0].energy_today_kwh, sumOf(quarters, today, to));
  }
  for (const device of devices) {
    const present = device.owned.at(-1)!;
    const zone = zoneOf(present.until === Number.POSITIVE_INFINITY ? present.project : undefined);
    const period = { period: 'custom', first_day: dayIn(zone, begin), last_day: dayIn(zone, end) };
    for (const path of ['energy_detail', 'energy_source']) {
      const found = await ask(admin, `/statistics/${path}`, { line_id: device.lineId, ...period });
      for (const bucket of found.buckets ?? found.rows)
        compare(
          `seed ${seed}, ${path} of line ${device.lineId}, ${bucket.at}`,
          bucket.kwh,
          sumOf(sums.get(device)!, Date.parse(bucket.at), Date.parse(bucket.to)),
        );
    }
  }
  expect(wrong, moves.join('\n')).toEqual([]);
  expect(counted).toBeGreaterThan(100);
  expect(moves.length).toBeGreaterThan(1);
};

test.each([
  // Clocks go forward in Chatham, in Lord Howe and, in another year, in St. John's.
  [1, '2026-09-25T00:00Z', 4],
  [104, '2026-10-02T00:00Z', 4],
  [3, '2027-03-12T00:00Z', 4],
  // Clocks go back in Chatham and Lord Howe, and in St. John's.
  [4, '2027-04-02T00:00Z', 4],
  [5, '2027-11-05T00:00Z', 4],
])(
  'figures of random readings equal those of a model over the readings (seed %i)',
  async (seed, begins, days) => {
    await live(seed, begins, days);
  },
  240_000,
);
