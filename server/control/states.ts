import type { AckMessage, CommandVerb } from '#contract/telemetry.ts';
import type { CommandState } from '#database/tables/control.ts';
import type { Position, Verdict } from '#server/core/evidence.ts';

export const openStates = ['created', 'sent', 'acknowledged'] as const satisfies CommandState[];
export const isOpen = (state: CommandState): boolean => (openStates as readonly string[]).includes(state);

/** The position that a verb requests; null for verbs that do not switch. */
export const askedPosition = (verb: string): Position | null =>
  verb === 'open' ? 0 : verb === 'close' ? 1 : null;

/** Verbs that later reports can prove, on lines that switch: by position, measurements and trip. */
export const provableVerbs: readonly string[] = ['open', 'close', 'reset', 'leak_test'];

/** Position of a message in its device's order: by boot, then by sequence number. */
export interface Place {
  boot: number;
  seq: number;
}
/** A report about the line. `at` is the time of measurement by the device's corrected clock, in ms. */
export interface Seen extends Place {
  source: 'reading' | 'event';
  at: number;
  receivedAt: number;
  position: Position | null;
  trip: number | null;
  verdict: Verdict;
  values: Record<string, number | null>;
}
export interface Command {
  verb: CommandVerb;
  state: CommandState;
  /** Whether reports can prove the command; the others end with the device's answer. */
  provable: boolean;
  /** When publishing began; null: certainly never published. */
  sentAt: number | null;
  /** The newest stored message of the device when the command was sent; null: none. */
  newestAtSending: Place | null;
  /** Correction of the device clock when the command was sent, ms; null: not sent yet. */
  skewMs: number | null;
  /** By how much the server's clock was set forward since it was sent, ms. */
  steppedMs?: number;
  /** The message in which the device reports that it moved the contacts for this command. */
  moved: (Place & { at: number }) | null;
  acknowledgedAt: number | null;
  expiresAt: number;
  deadlineAt: number;
  ack: AckMessage | null;
  seen: Seen | null;
  noted: boolean;
}
export type Stimulus =
  | { kind: 'claimed' }
  | { kind: 'published' }
  /** `neverSent`: the message was held back, so the device cannot have received it. */
  | { kind: 'refused'; reason: string; neverSent?: boolean }
  | { kind: 'superseded' }
  /** Other equipment may answer for the device from now on. */
  | { kind: 'replaced' }
  | { kind: 'answered'; ack: AckMessage }
  | { kind: 'moved'; position: Position; place: Place & { at: number } }
  | { kind: 'seen'; seen: Seen }
  /** The device reports that an update of its firmware goes on. */
  | { kind: 'updating' }
  /**
   * `mayActLate`: the device clock is slower than known when the command was sent, so the device may still
   * act.
   */
  | { kind: 'deadline'; latest: Seen | null; mayActLate?: boolean };
export interface Change {
  state?: CommandState;
  reason?: string | null;
  /** When it was sent; null: it was claimed and then held back. */
  sentAt?: number | null;
  newestAtSending?: Place | null;
  skewMs?: number;
  moved?: Place & { at: number };
  acknowledgedAt?: number;
  endedAt?: number;
  deadlineAt?: number;
  ack?: AckMessage;
  seen?: Seen | null;
  /** The part of a late answer that an ended command's row keeps. */
  late?: Record<string, unknown>;
}

/** An event and its time, in ms. */
export interface TimedStimulus {
  stimulus: Stimulus;
  at: number;
}

/** Maximum error of a device's time after its correction. Source: domain reference §5.4. */
export const clockErrorMs = 5000;

export const isLater = (a: Place, b: Place): boolean =>
  a.boot > b.boot || (a.boot === b.boot && a.seq > b.seq);

/** An update is over after this time without news of it, and after the longest time in any case. */
const [updateSilenceMs, longestUpdateMs] = [600_000, 21_600_000];

/** Maximum difference between the corrections of two messages of a device. */
const correctionJitterMs = 200;

/**
 * Whether a report was certainly measured after the command was sent. Either its time proves it: later by
 * more than the possible clock error. Or the device's own order proves it: the report follows the answer, or
 * the move, in the same counter and by the device's own clock. A device with a separate counter for answers
 * is recognised by an answer whose number is not above the numbers sent before the command.
 */
const isAfter = (command: Command, seen: Seen): boolean => {
  const { sentAt, ack, moved, newestAtSending, skewMs, steppedMs = 0 } = command;
  if (sentAt === null) return false;
  if (seen.at >= sentAt + clockErrorMs + steppedMs) return true;
  if (newestAtSending === null || seen.at < sentAt - clockErrorMs) return false;
  const answered = ack && { ...ack, at: ack.t === undefined ? null : ack.t + (skewMs ?? 0) };
  return [answered, moved].some(
    (answer) =>
      answer &&
      isLater(answer, newestAtSending) &&
      isLater(seen, answer) &&
      (answer.at === null || seen.at >= answer.at - correctionJitterMs),
  );
};

const end = (state: CommandState, at: number, reason: string | null = null): Change => ({
  state,
  reason,
  endedAt: at,
});

const withProof = (command: Command, change: Change, at: number): Change => {
  const after = { ...command, ack: change.ack ?? command.ack, moved: change.moved ?? command.moved };
  const seen = change.seen ?? command.seen;
  return seen && seen.verdict === 'agrees' && isAfter(after, seen)
    ? { ...change, ...end('verified', at) }
    : change;
};

/** The newer of two reports, without empty ones. */
const newer = (a: Seen | null, b: Seen | null): Seen | null => {
  if (!a || !b) return a ?? b;
  return b.verdict !== 'silent' && !isLater(a, b) ? b : a;
};

const onAnswer = (command: Command, ack: AckMessage, at: number, evidenceMs: number): Change | null => {
  const switching = askedPosition(command.verb) !== null;
  if (!isOpen(command.state)) {
    const repeats =
      command.noted ||
      command.ack?.st === ack.st ||
      ((command.state === 'verified' || command.state === 'answered') && ack.st === 'done');
    return repeats ? null : { late: { at: new Date(at).toISOString(), ack } };
  }
  if (command.sentAt === null) return null;
  // The broker delivered the command twice: the answer to the first delivery counts.
  if (ack.st === 'rejected' && ack.why === 'dup') return null;
  if (command.ack?.st === 'done') return null;
  switch (ack.st) {
    case 'accepted':
      if (command.ack) return null;
      return withProof(
        command,
        {
          state: 'acknowledged',
          ack,
          acknowledgedAt: command.acknowledgedAt ?? at,
          deadlineAt: switching ? at + evidenceMs : Math.max(command.expiresAt, at + evidenceMs),
        },
        at,
      );
    case 'done': {
      const answered: Change = {
        state: 'acknowledged',
        ack,
        acknowledgedAt: command.acknowledgedAt ?? at,
        deadlineAt: at + evidenceMs,
      };
      return command.provable ? withProof(command, answered, at) : { ...answered, ...end('answered', at) };
    }
    case 'failed':
      return { ...end('failed', at, ack.why ?? 'hw_fail'), ack };
    case 'rejected':
      return { ...end('failed', at, ack.why ?? 'rejected'), ack };
    case 'expired':
      return { ...end('expired', at, 'expired'), ack };
  }
};

const onDeadline = (
  command: Command,
  { latest, mayActLate }: Extract<Stimulus, { kind: 'deadline' }>,
  at: number,
): Change | null => {
  if (!isOpen(command.state) || at < command.deadlineAt) return null;
  if (command.sentAt === null) return end('failed', at, 'interrupted');
  const seen = newer(command.seen, latest);
  // Nothing shows that the device received the command: the line's state may have another cause.
  if (command.state !== 'acknowledged') return { ...end(mayActLate ? 'unknown' : 'expired', at), seen };
  const proof = seen && isAfter(command, seen) ? seen : null;
  if (proof?.verdict === 'agrees') return { ...end('verified', at), seen };
  if (proof?.verdict === 'contradicts') return { ...end('mismatch', at), seen };
  const asked = askedPosition(command.verb);
  const answeredOther =
    asked !== null && command.ack?.st === 'done' && command.ack.sw !== undefined && command.ack.sw !== asked;
  return { ...end(answeredOther ? 'mismatch' : 'unknown', at), seen };
};

/**
 * Applies an event to a command; null if nothing changes. States only move forward; an ended command does not
 * change again, a late answer is noted. `at` is the server's time in ms; `evidenceMs` is the time allowed for
 * the proof after the answer. A contradiction counts only at the deadline, because contacts travel and meters
 * average.
 */
export const next = (command: Command, stimulus: Stimulus, at: number, evidenceMs: number): Change | null => {
  const open = isOpen(command.state);
  switch (stimulus.kind) {
    case 'claimed':
      if (command.state !== 'created' || command.sentAt !== null) return null;
      return at < command.expiresAt ? { sentAt: at, deadlineAt: command.expiresAt } : end('expired', at);
    case 'published':
      return command.state === 'created' ? { state: 'sent' } : null;
    case 'refused':
      return command.state === 'created' || command.state === 'sent'
        ? { ...end('failed', at, stimulus.reason), ...(stimulus.neverSent ? { sentAt: null } : {}) }
        : null;
    case 'superseded':
      // A close that the device answered may have moved the contacts before the open arrived.
      return open ? end(command.state === 'acknowledged' ? 'unknown' : 'failed', at, 'superseded') : null;
    case 'replaced':
      if (!open) return null;
      return command.sentAt === null ? end('failed', at, 'interrupted') : end('unknown', at);
    case 'answered':
      return onAnswer(command, stimulus.ack, at, evidenceMs);
    case 'moved': {
      // The device names the command as the cause of the move: this counts as an answer, in case the answer
      // itself was lost.
      if (!open || command.sentAt === null || stimulus.position !== askedPosition(command.verb)) return null;
      if (command.acknowledgedAt !== null)
        return command.moved ? null : withProof(command, { moved: stimulus.place }, at);
      return withProof(
        command,
        { state: 'acknowledged', acknowledgedAt: at, deadlineAt: at + evidenceMs, moved: stimulus.place },
        at,
      );
    }
    case 'seen': {
      const { seen } = stimulus;
      if (!open || command.sentAt === null || seen.at < command.sentAt - clockErrorMs) return null;
      if (command.seen && newer(command.seen, seen) !== seen) return null;
      const change: Change = { seen };
      return command.state === 'acknowledged' ? withProof(command, change, at) : change;
    }
    case 'updating': {
      // A device that reports progress has received the command. Until it ends, nothing closes a line of the device.
      if (!open || command.verb !== 'ota' || command.sentAt === null) return null;
      const until = Math.min(at + updateSilenceMs, command.sentAt + longestUpdateMs);
      const deadlineAt = Math.max(command.deadlineAt, until);
      if (command.state === 'acknowledged' && deadlineAt === command.deadlineAt) return null;
      return { state: 'acknowledged', acknowledgedAt: command.acknowledgedAt ?? at, deadlineAt };
    }
    case 'deadline':
      return onDeadline(command, stimulus, at);
  }
};

/** The command after a change. */
export const changed = <Row extends Command>(command: Row, change: Change): Row => ({
  ...command,
  state: change.state ?? command.state,
  sentAt: change.sentAt === undefined ? command.sentAt : change.sentAt,
  newestAtSending: change.newestAtSending === undefined ? command.newestAtSending : change.newestAtSending,
  skewMs: change.skewMs ?? command.skewMs,
  moved: change.moved ?? command.moved,
  acknowledgedAt: change.acknowledgedAt ?? command.acknowledgedAt,
  deadlineAt: change.deadlineAt ?? command.deadlineAt,
  ack: change.ack ?? command.ack,
  seen: change.seen ?? command.seen,
  noted: command.noted || change.late !== undefined,
});

/** The combined change that several events in order make to a command; null if they make none. */
export const nextOfAll = (
  command: Command,
  stimuli: readonly TimedStimulus[],
  evidenceMs: number,
): Change | null => {
  let whole: Change = {};
  let now = command;
  for (const { stimulus, at } of stimuli) {
    const change = next(now, stimulus, at, evidenceMs);
    if (!change) continue;
    now = changed(now, change);
    whole = { ...whole, ...change };
  }
  return now === command ? null : whole;
};
