import { useCallback, useEffect, useRef, useState } from 'react';
import type { LiveEvent } from '#contract/live.ts';
import { useEveryAlarm } from '#web/api/live.ts';
import {
  emptyQueue,
  expire,
  gravestOf,
  isCritical,
  type PopupQueue,
  type PopupWish,
  snooze,
  take,
  viewOf,
  without,
  withoutAll,
} from './popup-queue.ts';

const settleMs = 50;
const tickMs = 1_000;
const heardKinds: ReadonlySet<LiveEvent['alarm']['kind']> = new Set([
  ...(['raised', 'escalated', 'handled', 'deleted', 'suppressed'] as const),
]);

/**
 * The queue of pop-ups: the first alarm of a burst appears with the next frame, later ones are collected, so
 * that a storm causes at most twenty renderings a second. A background tab draws no frames, and a timer
 * replaces them.
 */
export const usePopupQueue = (wish: PopupWish | undefined, onNew: (gravest: LiveEvent['alarm']) => void) => {
  const [queue, setQueue] = useState<PopupQueue>(emptyQueue);
  const [now, setNow] = useState(() => Date.now());
  const buffer = useRef<LiveEvent['alarm'][]>([]);
  const timer = useRef<number | undefined>(undefined);
  const frame = useRef(0);
  const last = useRef(Number.NEGATIVE_INFINITY);
  const latest = useRef({ wish, onNew, snoozedUntil: 0 });
  useEffect(() => {
    latest.current = { wish, onNew, snoozedUntil: queue.snoozedUntil };
  });
  const unplan = useCallback(() => {
    window.clearTimeout(timer.current);
    window.cancelAnimationFrame(frame.current);
    timer.current = undefined;
  }, []);
  useEffect(() => unplan, [unplan]);

  const flush = useCallback(() => {
    unplan();
    last.current = performance.now();
    const events = buffer.current;
    const { wish: wished, snoozedUntil, onNew: show } = latest.current;
    if (!wished || events.length === 0) return;
    buffer.current = [];
    const at = Date.now();
    setNow(at);
    setQueue((before) => take(before, events, wished, at));
    const gravest = gravestOf(events, wished);
    if (gravest && (at >= snoozedUntil || isCritical(gravest))) show(gravest);
  }, [unplan]);
  // Alarms that arrived before the settings were loaded wait for them.
  const known = wish !== undefined;
  useEffect(() => {
    if (known) flush();
  }, [known, flush]);
  const hear = (alarm: LiveEvent['alarm']) => {
    buffer.current.push(alarm);
    if (timer.current !== undefined) return;
    const wait = Math.max(0, last.current + settleMs - performance.now());
    if (wait === 0) frame.current = window.requestAnimationFrame(flush);
    timer.current = window.setTimeout(flush, wait || settleMs);
  };
  useEveryAlarm((alarm) => {
    if (heardKinds.has(alarm.kind)) hear(alarm);
  });

  const busy = queue.waiting.size > 0;
  useEffect(() => {
    if (!busy || !wish) return;
    const ticking = window.setInterval(() => {
      const at = Date.now();
      setNow(at);
      setQueue((before) => expire(before, wish.seconds, at));
    }, tickMs);
    return () => window.clearInterval(ticking);
  }, [busy, wish]);

  const { snoozedUntil } = queue;
  useEffect(() => {
    const left = snoozedUntil - Date.now();
    if (left <= 0) return;
    const over = window.setTimeout(() => setNow(Date.now()), left);
    return () => window.clearTimeout(over);
  }, [snoozedUntil]);

  return {
    view: viewOf(queue),
    /** When pop-ups return; null: they are not snoozed. */
    snoozedUntil: now < snoozedUntil ? snoozedUntil : null,
    resume: () => setQueue((before) => snooze(before, 0)),
    dismiss: (ids: readonly number[]) => setQueue((before) => without(before, ids)),
    dismissAll: () => setQueue(withoutAll),
    snooze: (minutes: number) => {
      const at = Date.now();
      setNow(at);
      setQueue((before) => snooze(before, at + minutes * 60_000));
    },
  };
};
