import type { DeviceTimer } from '#contract/telemetry.ts';

export const timerLimit = 16;

/** A device's wall clock: a zone by name, or a fixed offset in minutes. */
interface WallTime {
  date: string;
  /** Minutes since local midnight. */
  minute: number;
  /** 0 = Monday. */
  weekday: number;
}
const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string) => {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(zone, format);
  }
  return format;
};
export const isZone = (zone: string) => {
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
};
export const wallTime = (at: number, zone: string | number): WallTime => {
  let date: string;
  let minute: number;
  if (typeof zone === 'number') {
    const local = new Date(at + zone * 60_000);
    date = local.toISOString().slice(0, 10);
    minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  } else {
    const parts: Record<string, string> = {};
    for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value;
    date = `${parts['year']}-${parts['month']}-${parts['day']}`;
    minute = Number(parts['hour']) * 60 + Number(parts['minute']);
  }
  return { date, minute, weekday: (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7 };
};

export const isTimer = (timer: DeviceTimer, lines: ReadonlySet<number>): boolean =>
  Number.isInteger(timer.i) &&
  timer.i >= 1 &&
  timer.i <= timerLimit &&
  lines.has(timer.n) &&
  (timer.action === 'open' || timer.action === 'close') &&
  typeof timer.time === 'string' &&
  /^([01]\d|2[0-3]):[0-5]\d$/.test(timer.time) &&
  (timer.en === 0 || timer.en === 1) &&
  (timer.type === 'weekly'
    ? Number.isInteger(timer.days) && timer.days! >= 1 && timer.days! <= 127
    : timer.type === 'once' && typeof timer.date === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(timer.date));

const minuteOf = (timer: DeviceTimer) => Number(timer.time.slice(0, 2)) * 60 + Number(timer.time.slice(3));
const matches = (timer: DeviceTimer, date: string, weekday: number) =>
  timer.type === 'once' ? timer.date === date : ((timer.days ?? 0) >> weekday) % 2 === 1;

/** Longer than any clock change: the clock was set, or the device slept. Missed runs are not made up for. */
const longestJump = 125;
const minutesBetween = (from: WallTime, to: WallTime) =>
  (Date.parse(to.date) - Date.parse(from.date)) / 60_000 + to.minute - from.minute;

/**
 * Device-resident timers. A skipped local time fires at the first instant after the gap, a repeated one only
 * the first time; on one line in one minute open wins over close.
 */
export const createTimerWheel = () => {
  let before: WallTime | null = null;
  const firedOn = new Map<number, string>();
  return {
    due(timers: readonly DeviceTimer[], now: WallTime): DeviceTimer[] {
      const last = before;
      before = now;
      if (!last) return [];
      const passed = minutesBetween(last, now);
      if (passed <= 0 || passed > longestJump) return [];
      const due = timers.filter((timer) => {
        if (!timer.en) return false;
        const minute = minuteOf(timer);
        const today =
          matches(timer, now.date, now.weekday) &&
          minute <= now.minute &&
          (last.date !== now.date || minute > last.minute);
        const yesterday =
          last.date !== now.date && matches(timer, last.date, last.weekday) && minute > last.minute;
        const date = today ? now.date : last.date;
        if ((!today && !yesterday) || firedOn.get(timer.i) === date) return false;
        firedOn.set(timer.i, date);
        return true;
      });
      return due.filter(
        (timer) =>
          timer.action === 'open' || !due.some((other) => other.n === timer.n && other.action === 'open'),
      );
    },
    forget() {
      firedOn.clear();
    },
  };
};
