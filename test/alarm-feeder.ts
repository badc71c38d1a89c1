/**
 * A line for tests: takes readings by channel name, judges them in memory, and reports changes as `code level
 * kind`.
 */
import { lineChannels } from '#contract/telemetry.ts';
import { Draft } from '#server/alarms/engine/changes.ts';
import { judgeEvent } from '#server/alarms/engine/evaluate-event.ts';
import { judgeReading } from '#server/alarms/engine/evaluate-reading.ts';
import { createEventOrder } from '#server/alarms/engine/event-order.ts';
import { checksOf, type LineWatch } from '#server/alarms/engine/limits.ts';
import { type ActiveAlarm, AlarmMemory } from '#server/alarms/engine/memory.ts';
import type { GroupEvent, GroupReading, LineRef } from '#server/core/group.ts';

export const start = Date.parse('2026-11-20T02:00:00Z');

export const lineOf = (given: Partial<LineRef> = {}): LineRef => ({
  lineId: 2,
  deviceId: 1,
  deviceLineId: 1,
  deviceNumber: 'TEST000001',
  n: 1,
  type: 3,
  projectId: null,
  partId: null,
  ratedCurrent: 40,
  nominalVoltage: 220,
  thresholds: {},
  uploadSeconds: 60,
  ...given,
});

export interface Values {
  [channel: string]: number;
}
export const readingOf = (
  line: LineRef,
  seconds: number,
  values: Values,
  given: Partial<GroupReading> = {},
): GroupReading => ({
  line,
  lineId: line.lineId,
  deviceId: line.deviceId,
  n: line.n,
  at: start + seconds * 1000,
  receivedAt: start + seconds * 1000,
  boot: 1,
  seq: seconds,
  position: 1,
  trip: 0,
  lock: 0,
  energy: null,
  channels: lineChannels[line.type].map((name) => values[name] ?? null),
  latest: true,
  late: false,
  faults: [],
  original: Buffer.from('{"v":1}'),
  ...given,
});
export const eventOf = (
  line: LineRef,
  seconds: number,
  message: { st: 'raise' | 'clear'; code: number; lvl?: 1 | 2; eid?: string; [key: string]: unknown },
  late = false,
  /** Seconds until it is received. */
  delay = 0,
): GroupEvent => ({
  line,
  at: start + seconds * 1000,
  receivedAt: start + (seconds + delay) * 1000,
  late,
  original: Buffer.from('{"v":1}'),
  message: {
    v: 1,
    boot: 1,
    seq: seconds,
    eid: `1-${message.code}`,
    kind: 'alarm',
    lvl: 2,
    n: line.n,
    ...message,
  },
});

interface FedChange {
  at: number;
  code: number;
  phase: number;
  level: number;
  kind: string;
  quiet: boolean;
  alarm: ActiveAlarm;
}
interface Feeder {
  readonly changes: FedChange[];
  feed(seconds: number, values: Values, given?: Partial<GroupReading>): FedChange[];
  event(seconds: number, message: Parameters<typeof eventOf>[2], late?: boolean, delay?: number): FedChange[];
  /** An operator handles every active alarm. */
  handle(): void;
  /** Active alarms as `code/level`, with suppressed ones in brackets. */
  standing(): string[];
}

let handledId = 0;

/** Judges in memory only; `changes` are all changes, with seconds since the start. */
export const createFeeder = (
  given: Partial<LineRef> = {},
  { memory = new AlarmMemory(), enabled = (_code: number): boolean => true } = {},
): Feeder => {
  const line = lineOf(given);
  const watch: LineWatch = {
    state: memory.line(line.lineId, line.deviceId),
    checks: checksOf(line, () => Number.POSITIVE_INFINITY),
    orphans: [],
  };
  const order = createEventOrder();
  const changes: FedChange[] = [];
  const run = (seconds: number, judge: (draft: Draft) => void): FedChange[] => {
    const draft = new Draft((alarm) => memory.isProcessed(alarm));
    judge(draft);
    const news = draft.changes.map(({ alarm, kind, quiet }) => ({
      at: seconds,
      code: alarm.code,
      phase: alarm.phase,
      level: alarm.level,
      kind,
      quiet,
      alarm,
    }));
    changes.push(...news);
    return news;
  };
  return {
    changes,
    feed: (seconds, values, extra) =>
      run(seconds, (draft) => judgeReading(draft, watch, readingOf(line, seconds, values, extra), enabled)),
    event: (seconds, message, late, delay) =>
      run(seconds, (draft) =>
        judgeEvent(draft, watch, eventOf(line, seconds, message, late, delay), enabled, order),
      ),
    handle: () => {
      for (const alarm of memory.active()) {
        alarm.id ||= ++handledId;
        memory.handled(alarm.lineId, alarm.id);
      }
    },
    standing: () =>
      [...memory.active()]
        .map((alarm) => (alarm.parent ? `(${alarm.code}/${alarm.level})` : `${alarm.code}/${alarm.level}`))
        .sort(),
  };
};
