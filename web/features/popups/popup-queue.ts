import type { ReplyOf } from '#contract/endpoint.ts';
import type { LiveEvent } from '#contract/live.ts';
import type { noticeEndpoints } from '#contract/notices.ts';

export type PopupWish = Pick<
  ReplyOf<typeof noticeEndpoints.popup>,
  'enabled' | 'levels' | 'typeNumbers' | 'seconds'
>;
interface Popped {
  readonly id: number;
  readonly typeNumber: number;
  readonly level: number;
  readonly severity: number;
  readonly deviceId: number;
  readonly projectId: number | null;
  readonly at: number;
  /** Type of the alarm that suppressed this one until now. */
  readonly heldBackBy: number | undefined;
}
export interface PopupQueue {
  readonly waiting: ReadonlyMap<number, Popped>;
  /** Not stored because the queue was full: only counted; the list has them. */
  readonly beyond: { readonly total: number; readonly critical: number };
  /** No pop-up until then, except critical alarms. */
  readonly snoozedUntil: number;
}
const nothingBeyond = { total: 0, critical: 0 };
export const emptyQueue: PopupQueue = { waiting: new Map(), beyond: nothingBeyond, snoozedUntil: 0 };
/** Maximum number of alarms stored one by one, in any storm. */
export const mostWaiting = 1000;

/** More than this many at once are shown as a storm: by number and project, not one by one. */
export const stormCount = 10;
const minor = 3;
export const isCritical = ({ severity }: { severity: number }): boolean => severity === 1;

const wanted = (alarm: LiveEvent['alarm'], { levels, typeNumbers }: PopupWish) =>
  (alarm.kind === 'raised' || alarm.kind === 'escalated') &&
  !alarm.quiet &&
  (levels.length === 0 || levels.includes(alarm.level)) &&
  (typeNumbers.length === 0 || typeNumbers.includes(alarm.typeNumber));

/**
 * The most severe new alarm of some events that the reader wants to be notified of, with or without a pop-up.
 */
export const gravestOf = (
  events: readonly LiveEvent['alarm'][],
  wish: PopupWish,
): LiveEvent['alarm'] | undefined =>
  events
    .filter((alarm) => wanted(alarm, wish))
    .sort((a, b) => a.severity - b.severity || b.level - a.level)[0];

/** The queue after some live events: new alarms enter, handled or deleted ones leave. */
export const take = (
  queue: PopupQueue,
  events: readonly LiveEvent['alarm'][],
  wish: PopupWish,
  now: number,
): PopupQueue => {
  const waiting = new Map(queue.waiting);
  let { snoozedUntil } = queue;
  const beyond = { ...queue.beyond };
  for (const alarm of events) {
    if (alarm.kind === 'handled' || alarm.kind === 'deleted' || alarm.kind === 'suppressed')
      waiting.delete(alarm.id);
    if (!wish.enabled || !wanted(alarm, wish)) continue;
    const { id, typeNumber, level, severity, device_id, project_id, held_back_by: heldBackBy } = alarm;
    if (isCritical(alarm)) snoozedUntil = 0;
    if (waiting.size >= mostWaiting && !waiting.has(id)) {
      beyond.total += 1;
      const lesser = isCritical(alarm) ? [...waiting.values()].findLast((other) => !isCritical(other)) : null;
      if (lesser) waiting.delete(lesser.id);
      else {
        if (isCritical(alarm)) beyond.critical += 1;
        continue;
      }
    }
    const at = waiting.get(id)?.at ?? now;
    // An outage of a whole project has no device: it is a group of its own.
    const deviceId = device_id === 0 ? -(project_id ?? 0) : device_id;
    waiting.set(id, { id, typeNumber, level, severity, deviceId, projectId: project_id, at, heldBackBy });
  }
  return queueOf(waiting, beyond, snoozedUntil);
};
const queueOf = (
  waiting: ReadonlyMap<number, Popped>,
  beyond: PopupQueue['beyond'],
  snoozedUntil: number,
): PopupQueue => ({ waiting, beyond: waiting.size === 0 ? nothingBeyond : beyond, snoozedUntil });

/** Without minor alarms that were shown for their time; the others stay until the user opens them. */
export const expire = (queue: PopupQueue, seconds: number, now: number): PopupQueue => {
  const kept = [...queue.waiting].filter(
    ([, { severity, at }]) => severity < minor || now - at < seconds * 1000,
  );
  return kept.length === queue.waiting.size
    ? queue
    : queueOf(new Map(kept), queue.beyond, queue.snoozedUntil);
};
export const without = (queue: PopupQueue, ids: readonly number[]): PopupQueue => {
  const waiting = new Map(queue.waiting);
  for (const id of ids) waiting.delete(id);
  return queueOf(waiting, queue.beyond, queue.snoozedUntil);
};
export const withoutAll = ({ snoozedUntil }: PopupQueue): PopupQueue => ({ ...emptyQueue, snoozedUntil });
export const snooze = (queue: PopupQueue, until: number): PopupQueue => ({ ...queue, snoozedUntil: until });

export interface PopupGroup {
  readonly deviceId: number;
  readonly lead: Popped;
  readonly ids: readonly number[];
}
export interface PopupView {
  readonly groups: readonly PopupGroup[];
  readonly total: number;
  readonly critical: number;
  readonly storm: boolean;
}

const graver = (a: Popped, b: Popped) =>
  a.severity - b.severity || b.level - a.level || a.at - b.at || a.id - b.id;

/** The waiting alarms, one group per device, most severe first, then the longest waiting. */
export const viewOf = ({ waiting, beyond }: PopupQueue): PopupView => {
  const byDevice = Map.groupBy(waiting.values(), ({ deviceId }) => deviceId);
  const groups = [...byDevice].map(([deviceId, alarms]): PopupGroup => {
    const sorted = alarms.sort(graver);
    return { deviceId, lead: sorted[0]!, ids: sorted.map(({ id }) => id) };
  });
  return {
    groups: groups.sort((a, b) => graver(a.lead, b.lead)),
    total: waiting.size + beyond.total,
    critical: beyond.critical + [...waiting.values()].filter(isCritical).length,
    storm: waiting.size > stormCount,
  };
};
