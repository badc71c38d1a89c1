/** The newest messages about each event of the devices, by type and number of the event. */
import type { AlarmEventMessage } from '#contract/telemetry.ts';
import type { Journal } from './memory.ts';

type Numbered = Pick<AlarmEventMessage, 'eid' | 'code' | 'ph' | 'boot' | 'seq'>;
interface Entry {
  boot: number;
  /** Sequence of the newest message that reports the event as begun or active; null: none was received. */
  begun: number | null;
  begunAt: number;
  /** When it ended, and the sequence of the newest message that says so (null: only the time is known). */
  endedAt: number;
  endedSeq: number | null;
}
export interface EventOrder {
  /** A device reports that an event began: whether, and when, it had ended, and whether that is known already. */
  began(
    journal: Journal,
    lineId: number,
    message: Numbered,
    at: number,
  ): { endedAt: number | undefined; isKnown: boolean };
  /** A device reports that an event ended. 'repeated': as known; 'outdated': it began again since, at `begunAt`. */
  ended(
    journal: Journal,
    lineId: number,
    message: Numbered,
    at: number,
  ): { news: 'news' | 'repeated' | 'outdated'; hasBegun: boolean; begunAt: number };
  /** A row says that an event had ended. */
  learnEnd(lineId: number, message: Omit<Numbered, 'seq'>, at: number): void;
}

/** A device may use a number for events of several types; an event without a number is known by its phase. */
const keyOf = (lineId: number, { eid, code, ph }: Pick<Numbered, 'eid' | 'code' | 'ph'>): string =>
  `${lineId} ${code} ${eid === '' ? (ph ?? '') : ''} ${eid}`;

const remembered = 10_000;
const unknown = { begun: null, begunAt: Number.NaN, endedAt: Number.NaN, endedSeq: null };
/** No message is overtaken by so much, whatever the clock says: the device counts from the beginning again. */
const neverOvertakenMs = 600_000;
/** Within a boot the sequence decides, else the time: a counter of boots may have begun again. */
const endedAfter = (entry: Entry, { boot, seq }: Numbered, at: number): boolean =>
  boot === entry.boot && entry.endedSeq !== null
    ? seq <= entry.endedSeq && at <= entry.endedAt + neverOvertakenMs
    : at <= entry.endedAt;
const begunAfter = (entry: Entry, { boot, seq }: Numbered, at: number): boolean =>
  boot === entry.boot
    ? entry.begun !== null && seq < entry.begun && at <= entry.begunAt + neverOvertakenMs
    : at < entry.begunAt;

export const createEventOrder = (): EventOrder => {
  const entries = new Map<string, Entry>();
  const keep = (key: string, entry: Entry) => {
    entries.set(key, entry);
    if (entries.size > remembered) for (const oldest of entries.keys()) return void entries.delete(oldest);
  };
  /** The entry of an event, made anew for the first message of a boot; undefined for a message of an earlier boot. */
  const entryOf = (journal: Journal, key: string, { boot }: Numbered) => {
    const known = entries.get(key);
    if (known && boot <= known.boot) return { known, own: boot === known.boot };
    // A device that lost its memory uses its numbers again, also with an earlier clock.
    const fresh: Entry = { boot, ...unknown };
    keep(key, fresh);
    journal.onUndo(() => {
      if (entries.get(key) !== fresh) return;
      if (known) entries.set(key, known);
      else entries.delete(key);
    });
    return { known: fresh, own: true };
  };
  return {
    began: (journal, lineId, message, at) => {
      const { known, own } = entryOf(journal, keyOf(lineId, message), message);
      const isOver = endedAfter(known, message, at);
      const isKnown = isOver && own && known.begun !== null;
      if (own && !begunAfter(known, message, at))
        Object.assign(journal.touch(known), { begun: message.seq, begunAt: at });
      return { endedAt: isOver ? Math.max(known.endedAt, at) : undefined, isKnown };
    },
    ended: (journal, lineId, message, at) => {
      const { known, own } = entryOf(journal, keyOf(lineId, message), message);
      const hasBegun = own && known.begun !== null;
      const { begunAt } = known;
      if (begunAfter(known, message, at)) return { news: 'outdated', hasBegun, begunAt };
      if (endedAfter(known, message, at)) return { news: 'repeated', hasBegun, begunAt };
      if (own) Object.assign(journal.touch(known), { endedAt: at, endedSeq: message.seq });
      return { news: 'news', hasBegun, begunAt };
    },
    learnEnd: (lineId, message, at) =>
      keep(keyOf(lineId, message), { boot: message.boot, ...unknown, endedAt: at }),
  };
};
