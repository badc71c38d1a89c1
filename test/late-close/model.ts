/**
 * Until when a device may obey a close, calculated only from the design: its clock, its connections, and the
 * messages that showed its clock to the server. All times are true times, ms.
 */
export class DeviceClock {
  private readonly spans: { from: number; shows: number; rate: number }[];
  private readonly rate: number;

  constructor(at: number, shows: number, ppm: number) {
    this.rate = 1 + ppm / 1e6;
    this.spans = [{ from: at, shows, rate: this.rate }];
  }
  shows(at: number): number {
    const span = this.spans.findLast(({ from }) => from <= at) ?? this.spans[0]!;
    return span.shows + (at - span.from) * span.rate;
  }
  set(at: number, shows: number): void {
    this.spans.push({ from: at, shows, rate: this.rate });
  }
  /** Without power it stands still. */
  stop(at: number): void {
    this.spans.push({ from: at, shows: this.shows(at), rate: 0 });
  }
  /** The last time between `since` and `end` at which it shows at most this; null: never. */
  lastAtMost(limit: number, since: number, end: number): number | null {
    let last: number | null = null;
    for (const [index, span] of this.spans.entries()) {
      const from = Math.max(since, span.from);
      const to = Math.min(end, this.spans[index + 1]?.from ?? Number.POSITIVE_INFINITY);
      if (to < from || (to === from && from > since)) continue;
      const shown = span.shows + (from - span.from) * span.rate;
      if (shown > limit) continue;
      last = span.rate === 0 ? to : Math.min(to, from + (limit - shown) / span.rate);
    }
    return last;
  }
}

/** A delivery of a close to a connection; the network may hold it back until that connection ends. */
export interface Delivery {
  id: string;
  exp: number;
  at: number;
  connection: number;
  obeyedAt: number | null;
  /** The device answered that it does not do it, and so never will. */
  refusedAt: number | null;
  /** When a later message that sets the clock was delivered: it came before that. */
  before: number | null;
}
/** A change of the clock in one moment, of which the server learns by the next live message. */
export interface Jump {
  at: number;
  ms: number;
  by: 'itself' | 'timeSync';
  /** When the server sent the command for it. */
  sentAt: number | null;
}
/** A live report: when it was measured, and when it reached the server. */
export interface Shown {
  measuredAt: number;
  arrivedAt: number;
  connection: number;
}
export interface Press {
  at: number;
  line: number;
  status: number;
  id: string | null;
  reason: string | null;
}
/** A row of the command log, in true time. */
export interface Outcome {
  id: string;
  state: string;
  reason: string | null;
  endedAt: number | null;
}
export interface Told {
  clock: DeviceClock;
  /** When each connection ended for the device, by its number. */
  ends: Map<number, number>;
  deliveries: Delivery[];
  jumps: Jump[];
  shown: Shown[];
  presses: Press[];
  outcomes: Outcome[];
  /** When the server's clock was set: it gives up every command that is under way. */
  steps: number[];
}

const closeLifeMs = 30_000;
/** A step of the server's clock of 1 s is none (0522), 0.5 s is no difference of the device's clock (0530). */
const slackMs = 1500 + 200;

/** By how much the device's clock was set back without the server being able to know when it sent the close. */
const unseenMs = ({ jumps, shown, steps }: Told, delivery: Delivery): number => {
  const unseen = jumps.filter(
    (jump) =>
      (jump.sentAt === null || steps.some((at) => at >= jump.sentAt! && at <= jump.at)) &&
      !shown.some(({ measuredAt, arrivedAt }) => measuredAt > jump.at && arrivedAt < delivery.at),
  );
  return unseen.reduce((sum, { ms }) => sum + Math.max(0, -ms), 0);
};

const mayObeyUntil = ({ clock, ends }: Told, { exp, at, connection, before }: Delivery): number | null =>
  clock.lastAtMost(
    exp,
    at,
    Math.min(ends.get(connection) ?? Number.POSITIVE_INFINITY, before ?? Number.POSITIVE_INFINITY),
  );

export interface Finding {
  what: 'obeyed after its limit' | 'obeyed after its end' | 'sent without a press' | 'sent though refused';
  byMs: number;
  id: string;
  text: string;
}
export const judge = (told: Told): Finding[] => {
  const found: Finding[] = [];
  for (const delivery of told.deliveries) {
    const press = told.presses.find(({ id }) => id === delivery.id);
    const { id } = delivery;
    if (!press) {
      found.push({ what: 'sent without a press', byMs: 0, id, text: '' });
      continue;
    }
    if (press.status !== 200) found.push({ what: 'sent though refused', byMs: 0, id, text: '' });
    const until = mayObeyUntil(told, delivery);
    const excused = unseenMs(told, delivery) + slackMs;
    if (until !== null) {
      const byMs = until - (press.at + closeLifeMs) - excused;
      if (byMs > 0)
        found.push({
          what: 'obeyed after its limit',
          byMs,
          id,
          text: `sent ${delivery.at - press.at} ms after the press, ${told.shown.filter(({ connection, arrivedAt }) => connection === delivery.connection && arrivedAt <= delivery.at).length} reports on connection ${delivery.connection}, ${told.jumps.filter(({ at, by }) => by === 'timeSync' && at < until).length} timeSync`,
        });
    }
    const outcome = told.outcomes.find((each) => each.id === id);
    if (!outcome || outcome.endedAt === null || !['expired', 'failed'].includes(outcome.state)) continue;
    if (delivery.refusedAt !== null && delivery.refusedAt <= outcome.endedAt) continue;
    const last = Math.max(until ?? 0, delivery.obeyedAt ?? 0);
    if (last - excused > outcome.endedAt)
      found.push({
        what: 'obeyed after its end',
        byMs: last - excused - outcome.endedAt,
        id,
        text: `${outcome.state} ${outcome.reason ?? ''} ${outcome.endedAt - press.at} ms after the press, obeyed ${delivery.obeyedAt === null ? 'not' : delivery.obeyedAt - press.at}`,
      });
  }
  return found;
};
