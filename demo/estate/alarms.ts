import { alarmCatalogue, alarmTypeOf, limitOf, ratingsOf } from '#contract/alarm-catalogue.ts';
import type { FurnishedDevice, FurnishedLine } from './devices.ts';
import { nominalVoltage } from './line.ts';
import { type Random, randomOf } from './random.ts';
import { snapshotAt } from './snapshot.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
export const historyDays = 60;

/** One period in which a condition was active. */
export interface Episode {
  device: FurnishedDevice;
  /** Null: the whole device. */
  line: FurnishedLine | null;
  code: number;
  phase: number;
  level: 1 | 2;
  source: 'device' | 'server';
  raisedAt: number;
  /** When an early warning became an alarm. */
  escalatedAt: number | null;
  /** Latched, and the value is normal since then. */
  normalAt: number | null;
  clearedAt: number | null;
  latched: boolean;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  occurrences: number;
  tags: string[];
  snapshot: Record<string, unknown> | null;
  parent: Episode | null;
  /** 'open': unprocessed by design, not by chance. 'none': ended within two seconds. */
  handling: 'open' | 'done' | 'chance' | 'none';
}

/** Relative frequency of each core code. */
const frequency: Record<number, number> = {
  101: 6,
  102: 8,
  103: 1,
  104: 1,
  105: 4,
  109: 2,
  201: 10,
  202: 6,
  203: 6,
  204: 4,
  205: 1,
  208: 3,
  301: 8,
  302: 2,
  401: 3,
  402: 4,
  403: 3,
  404: 2,
  501: 4,
  502: 1,
  602: 4,
  701: 1,
  703: 1,
  801: 14,
  804: 1,
};
const core = alarmCatalogue.filter((type) => type.core);
const deviceLevel: readonly number[] = [801, 804];
/** Codes that the device reports as an event; the server finds the others in the readings. */
const reportedByDevice: readonly number[] = [109, 205, 208, 301, 302, 501, 502, 701, 804];
const perPhase: readonly number[] = [101, 102, 103, 402];
const tripping: readonly number[] = [205, 502];
const minutesOf: Record<number, readonly [number, number]> = {
  109: [8, 40],
  201: [3, 25],
  205: [6, 15],
  301: [10, 180],
  402: [15, 120],
  501: [5, 90],
  502: [6, 15],
  701: [6, 15],
  801: [4, 240],
};
/** Month's quota of a dormitory room at the time of its alarm, kWh. */
const quota = 300;

const round = (value: number) => Math.round(value * 10) / 10;
/** The limit and a value beyond it; null if the type is a yes or no. */
const figuresOf = (
  device: FurnishedDevice,
  line: FurnishedLine,
  code: number,
  level: 1 | 2,
  random: Random,
) => {
  const type = alarmTypeOf(code)!;
  const ratings = ratingsOf({
    type: device.type,
    nominalVoltage,
    ratedCurrent: line.ratedCurrent,
    thresholds: code === 208 ? { quota_kwh: quota } : {},
  });
  const alarm = (type.byType?.[device.type]?.alarm ?? type.alarm) || null;
  const threshold = limitOf(level === 1 ? type.warn : alarm, ratings);
  if (Number.isNaN(threshold)) return { threshold: null, value: null, peak: null };
  const next = level === 1 ? limitOf(alarm, ratings) : threshold * (type.side === 'above' ? 1.25 : 0.75);
  const reach = random.between(0.1, 0.6);
  const peakReach = Math.min(0.9, reach + random.between(0, 0.3));
  const whole = type.valueType === 6;
  const at = (share: number) => {
    const value = threshold + (next - threshold) * share;
    return whole ? Math.ceil(value) : round(value);
  };
  return { threshold: round(threshold), value: at(reach), peak: at(peakReach) };
};

const episodeOf = (
  device: FurnishedDevice,
  line: FurnishedLine,
  code: number,
  level: 1 | 2,
  raisedAt: number,
  random: Random,
): Episode => {
  const type = alarmTypeOf(code)!;
  const [least, most] = minutesOf[code] ?? [2, 45];
  const clearedAt = Math.floor(raisedAt + random.between(least, most) * minuteMs);
  const escalates = level === 2 && type.warn !== null && random.chance(0.4);
  const latched = level === 2 && type.latched === 'alarm';
  const figures = figuresOf(device, line, code, level, random);
  const three = line.nature.three;
  const whole = deviceLevel.includes(code);
  const chatters = random.chance(0.03);
  return {
    device,
    line: whole ? null : line,
    code,
    phase: three && perPhase.includes(code) ? 1 + Math.floor(random.next() * 3) : 0,
    level,
    source: reportedByDevice.includes(code) ? 'device' : 'server',
    raisedAt,
    escalatedAt: escalates ? Math.floor(raisedAt + (clearedAt - raisedAt) * 0.2) : null,
    normalAt: latched ? Math.floor(raisedAt + (clearedAt - raisedAt) * 0.6) : null,
    clearedAt,
    latched,
    ...figures,
    occurrences: chatters ? 4 + Math.floor(random.next() * 6) : 1,
    tags: chatters ? ['chattering'] : [],
    snapshot:
      whole || device.type !== line.nature.type
        ? null
        : snapshotAt(device.type, line, raisedAt, code, figures.value),
    parent: null,
    handling: 'chance',
  };
};

/** A short circuit or a parallel arc makes the device trip; both belong to one work order. */
const tripOf = (cause: Episode): Episode => ({
  ...cause,
  code: 701,
  phase: 0,
  level: 2,
  source: 'device',
  raisedAt: cause.raisedAt + 120,
  escalatedAt: null,
  latched: true,
  value: null,
  peak: null,
  threshold: null,
  occurrences: 1,
  tags: [],
  snapshot: null,
  parent: cause,
});

/** Alarms that are active when the estate begins, each with a lasting reason. */
const standing = (devices: readonly FurnishedDevice[], now: number, random: Random): Episode[] => {
  const offline = devices
    .filter((device) => device.silentSince !== null)
    .map((device): Episode => {
      const raisedAt = device.silentSince! + 180_000;
      const made = episodeOf(device, device.lines[0]!, 801, 2, raisedAt, random);
      const old = now - raisedAt > 5 * dayMs;
      return { ...made, clearedAt: null, occurrences: 1, tags: [], handling: old ? 'done' : 'open' };
    });
  const leaking = devices
    .filter((device) => device.lines[0]!.thresholds['il_w'] !== undefined)
    .map((device, index): Episode => {
      const line = device.lines[0]!;
      const raisedAt = Math.floor(now - (1.3 + index * 0.9) * dayMs);
      const made = episodeOf(device, line, 301, 1, raisedAt, random);
      const value = round(line.nature.standing + 9);
      return {
        ...made,
        clearedAt: null,
        threshold: line.thresholds['il_w']!,
        value,
        peak: round(value + 4.2),
        occurrences: 1,
        tags: [],
        snapshot: snapshotAt(device.type, line, raisedAt, 301, value),
        handling: 'open',
      };
    });
  const waiting = (
    [
      [6, 301, 26 * hourMs, 'open'],
      [4, 402, 3.2 * dayMs, 'done'],
      [5, 501, 5 * hourMs, 'open'],
    ] as const
  ).map(([type, code, ago, handling]): Episode => {
    const device = devices.filter(
      (each) =>
        each.type === type &&
        each.silentSince === null &&
        each.projectId !== null &&
        !each.lines[0]!.critical,
    )[code % 7]!;
    const made = episodeOf(device, device.lines[0]!, code, 2, Math.floor(now - ago), random);
    return { ...made, clearedAt: null, handling };
  });
  return [...offline, ...leaking, ...waiting];
};

/** Device reports shorter than two seconds: a dip of the supply, a step of the leakage, an internal fault. */
const momentary: readonly number[] = [109, 109, 109, 302, 804];
const momentsOfDays = 21;
const planMoments = (
  devices: readonly FurnishedDevice[],
  given: { now: number; seed: string | number; isFree: (episode: Episode) => boolean },
): Episode[] => {
  const { now, seed, isFree } = given;
  const random = randomOf(seed, 'moments');
  return Array.from({ length: momentsOfDays }, (_, day) => {
    const device = random.pick(devices.filter((each) => each.silentSince === null));
    const line = random.pick(device.lines);
    const code = random.pick(momentary);
    const raisedAt = Math.floor(now - (momentsOfDays - day) * dayMs + random.between(0.1, 0.9) * dayMs);
    const made = episodeOf(device, line, code, 2, raisedAt, random);
    return {
      ...made,
      clearedAt: raisedAt + Math.floor(random.between(300, 1900)),
      escalatedAt: null,
      occurrences: 1,
      tags: [],
      handling: 'none' as const,
    };
  }).filter((episode) => !(episode.line?.open ?? false) && isFree(episode));
};

/** Sixty days of alarms of all core codes, a few a day, in the order in which they were raised. */
export const planAlarms = (
  devices: readonly FurnishedDevice[],
  mismatches: readonly { device: FurnishedDevice; line: FurnishedLine; at: number }[],
  given: { now: number; seed: string | number },
): Episode[] => {
  const { now, seed } = given;
  const random = randomOf(seed, 'alarms');
  const bound = devices.filter((device) => device.projectId !== null);
  const stands = standing(devices, now, random);
  const busy = new Map<string, number>();
  const keyOf = (episode: Episode) =>
    `${episode.line?.id ?? episode.device.lineZero}/${episode.phase}/${episode.code}`;
  const taken = new Set(stands.map(keyOf));
  const made: Episode[] = [];
  const add = (code: number, raisedAt: number) => {
    const type = alarmTypeOf(code)!;
    const device = random.pick(bound.filter((each) => type.types.includes(each.type)));
    const line = random.pick(device.lines);
    if (line.open && !deviceLevel.includes(code)) return;
    const level = type.warn === null ? 2 : random.chance(0.62) ? 1 : 2;
    const episode = episodeOf(device, line, code, level, raisedAt, random);
    const key = keyOf(episode);
    const silent = device.silentSince ?? now;
    if (taken.has(key) || (busy.get(key) ?? 0) > raisedAt || episode.clearedAt! > silent - minuteMs) return;
    busy.set(key, episode.clearedAt!);
    made.push(episode);
    if (!tripping.includes(code) || !alarmTypeOf(701)!.types.includes(device.type)) return;
    made.push(tripOf(episode));
  };
  const drawn = core.flatMap((type) => Array<number>(frequency[type.code] ?? 1).fill(type.code));
  for (let day = historyDays - 1; day >= 0; day--) {
    const dayStart = now - (day + 1) * dayMs;
    const times = Array.from({ length: 5 + Math.floor(random.next() * 5) }, () =>
      random.between(0, dayMs),
    ).sort((a, b) => a - b);
    for (const time of times) add(random.pick(drawn), Math.floor(dayStart + time));
  }
  // Rare codes occur a few times too.
  for (const { code } of core) {
    for (let tries = 0; tries < 12 && made.filter((episode) => episode.code === code).length < 3; tries++)
      add(code, Math.floor(now - random.between(1, historyDays - 1) * dayMs));
  }
  const moments = planMoments(bound, {
    now,
    seed,
    isFree: (episode) => !busy.has(keyOf(episode)) && !taken.has(keyOf(episode)),
  });
  const refused = mismatches.map(({ device, line, at }) => ({
    ...episodeOf(device, line, 703, 2, at + 15_000, random),
    line,
  }));
  return [...made, ...moments, ...refused, ...stands].sort(
    (a, b) => a.raisedAt - b.raisedAt || a.device.id - b.device.id || a.code - b.code,
  );
};
