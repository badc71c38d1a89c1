import type { AckMessage, CommandVerb } from '#contract/telemetry.ts';
import type { CommandState } from '#database/tables/control.ts';
import type { Position, Verdict } from './control.evidence.ts';

export const openStates = ['created', 'sent', 'acknowledged'] as const satisfies CommandState[];
export const isOpen = (state: CommandState): boolean => (openStates as readonly string[]).includes(state);

/** The position a verb asks for; null for verbs that switch nothing. */
export const askedPosition = (verb: string): Position | null =>
  verb === 'open' ? 0 : verb === 'close' ? 1 : null;

/** A report about the line's position; `at` is the device's time in ms. */
export interface Seen {
  source: 'reading' | 'event';
  at: number;
  /** Null where the report does not carry them. */
  boot: number | null;
  seq: number | null;
  position: Position | null;
  verdict: Verdict;
  values: Record<string, number | null>;
}
export interface Command {
  verb: CommandVerb;
  state: CommandState;
  /** When publishing began; null: certainly never published. */
  sentAt: number | null;
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
  | { kind: 'refused'; reason: string }
  | { kind: 'superseded' }
  | { kind: 'answered'; ack: AckMessage }
  | { kind: 'moved'; position: Position }
  | { kind: 'seen'; seen: Seen }
  | { kind: 'deadline'; latest: Seen | null };
export interface Change {
  state?: CommandState;
  reason?: string | null;
  sentAt?: number;
  acknowledgedAt?: number;
  endedAt?: number;
  deadlineAt?: number;
  ack?: AckMessage;
  seen?: Seen | null;
  /** What an ended command's row keeps of a late answer. */
  late?: Record<string, unknown>;
}

/** A stimulus and when it came, in ms. */
export interface Told {
  stimulus: Stimulus;
  at: number;
}

/** A device's clock counts as right to 5 s; a larger skew is corrected before it comes here. */
export const clockToleranceMs = 10_000;

/**
 * Whether a report was made after the command took effect, as far as the device tells: after its answer by its own
 * order of messages, else, when the answer was lost, after the command went out by the clock.
 */
const isAfter = ({ sentAt, ack }: Command, seen: Seen): boolean => {
  if (sentAt === null || seen.at < sentAt - clockToleranceMs) return false;
  if (ack === null || seen.boot === null || seen.seq === null) return seen.at >= sentAt;
  return seen.boot > ack.boot || (seen.boot === ack.boot && seen.seq > ack.seq);
};

const end = (state: CommandState, at: number, reason: string | null = null): Change => ({
  state,
  reason,
  endedAt: at,
});

const withProof = (command: Command, change: Change, at: number): Change => {
  const after = { ...command, ack: change.ack ?? command.ack };
  const seen = change.seen ?? command.seen;
  return seen && seen.verdict === 'agrees' && isAfter(after, seen)
    ? { ...change, ...end('verified', at) }
    : change;
};

/** The newer report that says something. */
const newer = (a: Seen | null, b: Seen | null): Seen | null => {
  if (!a || !b) return a ?? b;
  return b.verdict !== 'silent' && b.at >= a.at ? b : a;
};

const onAnswer = (command: Command, ack: AckMessage, at: number, evidenceMs: number): Change | null => {
  const switching = askedPosition(command.verb) !== null;
  if (!isOpen(command.state)) {
    const repeats =
      command.noted || command.ack?.st === ack.st || (command.state === 'verified' && ack.st === 'done');
    return repeats ? null : { late: { at: new Date(at).toISOString(), ack } };
  }
  if (command.sentAt === null) return null;
  // The broker delivered it twice: the answer to the first delivery counts.
  if (ack.st === 'rejected' && ack.why === 'dup') return null;
  if (command.acknowledgedAt === null && at > command.expiresAt)
    return { ...end('expired', at), late: { at: new Date(at).toISOString(), ack } };
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
      return switching ? withProof(command, answered, at) : { ...answered, ...end('verified', at) };
    }
    case 'failed':
      return { ...end('failed', at, ack.why ?? 'hw_fail'), ack };
    case 'rejected':
      return { ...end('failed', at, ack.why ?? 'rejected'), ack };
    case 'expired':
      return { ...end('expired', at, 'expired'), ack };
  }
};

const onDeadline = (command: Command, latest: Seen | null, at: number): Change | null => {
  if (!isOpen(command.state) || at < command.deadlineAt) return null;
  if (command.state === 'created' && command.sentAt === null) return end('failed', at, 'interrupted');
  if (command.state !== 'acknowledged') return end('expired', at);
  const seen = newer(command.seen, latest);
  if (seen && seen.verdict === 'agrees' && isAfter(command, seen)) return { ...end('verified', at), seen };
  if (seen && seen.verdict === 'contradicts' && isAfter(command, seen))
    return { ...end('mismatch', at), seen };
  const answeredOther =
    command.ack?.st === 'done' &&
    command.ack.sw !== undefined &&
    command.ack.sw !== askedPosition(command.verb);
  return { ...end(answeredOther ? 'mismatch' : 'unknown', at), seen };
};

/**
 * What a stimulus makes of a command, or null for nothing. States only move forward; an ended command changes no
 * more, a late answer is noted. `at` is the server's time in ms; `evidenceMs` how long proof may take after the
 * answer. A contradiction counts only at the deadline: contacts travel and meters average.
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
        ? end('failed', at, stimulus.reason)
        : null;
    case 'superseded':
      return open ? end('failed', at, 'superseded') : null;
    case 'answered':
      return onAnswer(command, stimulus.ack, at, evidenceMs);
    case 'moved': {
      // The device names the command as the cause of the move: an answer, should the answer itself be lost.
      if (!open || command.acknowledgedAt !== null || command.sentAt === null || at > command.expiresAt)
        return null;
      if (stimulus.position !== askedPosition(command.verb)) return null;
      return withProof(
        command,
        { state: 'acknowledged', acknowledgedAt: at, deadlineAt: at + evidenceMs },
        at,
      );
    }
    case 'seen': {
      const { seen } = stimulus;
      if (!open || command.sentAt === null || seen.at < command.sentAt - clockToleranceMs) return null;
      if (command.seen && newer(command.seen, seen) !== seen) return null;
      const change: Change = { seen };
      return command.state === 'acknowledged' ? withProof(command, change, at) : change;
    }
    case 'deadline':
      return onDeadline(command, stimulus.latest, at);
  }
};

/** The command as a change leaves it. */
export const changed = <Row extends Command>(command: Row, change: Change): Row => ({
  ...command,
  state: change.state ?? command.state,
  sentAt: change.sentAt ?? command.sentAt,
  acknowledgedAt: change.acknowledgedAt ?? command.acknowledgedAt,
  deadlineAt: change.deadlineAt ?? command.deadlineAt,
  ack: change.ack ?? command.ack,
  seen: change.seen ?? command.seen,
  noted: command.noted || change.late !== undefined,
});

/** What stimuli make of a command one after the other, as one change; null for nothing. */
export const nextOfAll = (command: Command, told: readonly Told[], evidenceMs: number): Change | null => {
  let whole: Change = {};
  let now = command;
  for (const { stimulus, at } of told) {
    const change = next(now, stimulus, at, evidenceMs);
    if (!change) continue;
    now = changed(now, change);
    whole = { ...whole, ...change };
  }
  return now === command ? null : whole;
};
