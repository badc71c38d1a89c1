import { isOlderThanAnyBacklog } from '#server/core/group.ts';
import { flag } from '#server/core/reading-flags.ts';
import type { Device } from './device.ts';
import type { RawMessage } from './ingress.ts';
import { isCount } from './messages.ts';
import type { ClockChange } from './skew.ts';

export interface Instant {
  at: number;
  sentAt: number | null;
  flags: number;
  /** The change of finding 803 by this message: the device clock became unusable, or usable again. */
  clock: ClockChange | null;
}

const earliest = Date.UTC(2020, 0, 1);
const aheadMs = 10 * 60_000;
/** A device clock counts as right within this. */
const clockToleranceMs = 5_000;

type Message = Record<string, unknown> & { boot: number; seq: number };

/**
 * Device time, corrected by the skew of its clock; receive time if the clock is implausible. First takes a
 * sample of the clock from a live message; no message is refused for its time. Domain reference §5.4.
 */
export const instantOf = (device: Device, message: Message, raw: RawMessage, provesFrom: number): Instant => {
  const { receivedAt } = raw;
  const sent = message['t'];
  // A retained message may be of any age, for example where a bridge repeats it.
  const backfilled = raw.retain || message['bf'] === 1 || message['bf'] === true;
  const flags = backfilled ? flag.backfilled : 0;
  const t = typeof sent === 'number' ? Math.round(sent) : Number.NaN;
  if (!Number.isSafeInteger(t))
    return { at: receivedAt, sentAt: null, flags: flags | flag.unusable, clock: null };
  const { boot, seq } = message;
  const clock = backfilled || raw.dup ? null : device.skew.take({ boot, seq, t, receivedAt }, provesFrom);
  const unusable = { at: receivedAt, sentAt: t, flags: flags | flag.unusable, clock };
  if (message['tq'] === 2 || t < earliest) return unusable;
  // A clock that was just set is right, even if the last messages differ.
  const isRight = !backfilled && Math.abs(receivedAt - t) <= clockToleranceMs;
  if (!backfilled && !isRight && device.skew.isStepped) return unusable;
  const correction = isRight ? 0 : device.skew.correction;
  const at = t + correction;
  if (!backfilled && isOlderThanAnyBacklog({ at, receivedAt })) return unusable;
  // A measurement is never in the future. Neither a fast clock nor a delay on the way may make a position
  // look newer than it is, so the known error of the clock is subtracted.
  if (at > receivedAt) {
    const measuredAt = Math.min(receivedAt, t + device.skew.estimate);
    if (at > receivedAt + aheadMs) return { ...unusable, at: measuredAt };
    const isWrong = at > receivedAt + clockToleranceMs;
    return { at: measuredAt, sentAt: t, flags: isWrong ? flags | flag.corrected : flags, clock };
  }
  return { at, sentAt: t, flags: correction === 0 ? flags : flags | flag.corrected, clock };
};

export const isSequenced = (message: Record<string, unknown>): message is Message =>
  isCount(message['boot']) && isCount(message['seq']);
