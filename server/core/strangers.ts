import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import { type Buckets, createBuckets } from './buckets.ts';
import { Fault } from './fault.ts';
import { createLane, type Lane, LaneFull } from './lane.ts';
import { networkOf } from './network.ts';
import { type Caller, callerOf, hashToken } from './session.ts';

const mostTokens = 20_000;
const warnEveryMs = 60_000;

/** Why a caller without a session was refused. */
type StrangerRefusal = 'limit' | 'session' | 'call';

export interface Strangers {
  /** Admits one call without a session. Throws `request.tooMany` if its network has used up its share. */
  admit(address: string, now: number): void;
  /**
   * The caller behind a token. A network that tries many unknown tokens must wait; its known sessions need
   * not.
   */
  callerOf(db: Db, token: string, address: string, now: number): Promise<Caller>;
  /** Runs public calls a few at a time, so that they never occupy all database connections. */
  inLane<Result>(kind: 'reads' | 'writes', job: () => Promise<Result>): Promise<Result>;
  count(refusal: StrangerRefusal): void;
  /** Counts for the metrics. */
  counts(): Readonly<Record<string, number>>;
}

/**
 * Limits the cost of callers without a session: memory, connections, time and rows. They leave no row in the
 * operation log; their refusals are counted, and a network over its limit is written to the process log once
 * a minute.
 */
export const createStrangers = (log: Pick<Logger, 'warn'>): Strangers => {
  const calls = createBuckets({ burst: 60, perSecond: 1 });
  const unknownTokens = createBuckets({ burst: 120, perSecond: 2 });
  const warnings = createBuckets({ burst: 1, perSecond: 1000 / warnEveryMs, mostKeys: 1000 });
  const lanes: Record<'reads' | 'writes' | 'tokens', Lane> = {
    reads: createLane({ atOnce: 3, waiting: 60 }),
    writes: createLane({ atOnce: 3, waiting: 60 }),
    // As many as a building full of consoles sends after a restart.
    tokens: createLane({ atOnce: 3, waiting: 2000 }),
  };
  const knownTokens = new Set<string>();
  const refused: Record<StrangerRefusal, number> = { limit: 0, session: 0, call: 0 };

  const tooMany = (waitMs: number): Fault => {
    refused.limit += 1;
    return new Fault('request.tooMany', { with: { seconds: Math.ceil(waitMs / 1000) } });
  };
  const take = (buckets: Buckets, address: string, now: number, count: 0 | 1 = 1) => {
    const network = networkOf(address);
    const waitMs = buckets(network, now, count);
    if (waitMs === 0) return;
    if (warnings(network, now) === 0) log.warn({ network }, 'calls without a session over the limit');
    throw tooMany(waitMs);
  };
  const run = <Result>(lane: Lane, job: () => Promise<Result>): Promise<Result> =>
    lane(job).catch((error: unknown) => {
      throw error instanceof LaneFull ? tooMany(2000) : error;
    });
  const remember = (key: string) => {
    knownTokens.delete(key);
    knownTokens.add(key);
    if (knownTokens.size > mostTokens) knownTokens.delete(knownTokens.values().next().value!);
  };

  return {
    admit: (address, now) => take(calls, address, now),
    async callerOf(db, token, address, now) {
      const key = hashToken(token).toString('base64');
      const known = knownTokens.has(key);
      const look = () => callerOf(db, token, now);
      try {
        // Only an invalid token counts: after a restart every console sends a token that is not known yet.
        if (!known) take(unknownTokens, address, now, 0);
        const caller = await (known ? look() : run(lanes.tokens, look));
        remember(key);
        return caller;
      } catch (error) {
        knownTokens.delete(key);
        if (!known && error instanceof Fault && error.code !== 'request.tooMany')
          unknownTokens(networkOf(address), now);
        throw error;
      }
    },
    inLane: (kind, job) => run(lanes[kind], job),
    count(refusal) {
      refused[refusal] += 1;
    },
    counts: () =>
      Object.fromEntries(
        Object.entries(refused).map(([name, count]) => [`strangers_refused_${name}`, count]),
      ),
  };
};
