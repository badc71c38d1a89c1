import fc from 'fast-check';
import type { Server } from '../product-process.ts';
import { type History, historiesWith, settlingSeconds } from './history.ts';
import { type Invariant, judge, type Violation } from './judge.ts';
import { type Fault, type Played, play } from './play.ts';

interface Found extends Violation {
  seed: number;
  path: string;
  /** PostgreSQL could crash in it. */
  mayCrash: boolean;
  played: Played;
}
export interface Tally {
  histories: number;
  /** How many of them include a kill -9 of the server. */
  killed: number;
  kills: number;
  /** How many of them include a crash of PostgreSQL. */
  crashed: number;
  opens: number;
  closes: number;
  verified: number;
  samples: number;
  found: Found[];
}
export const emptyTally = (): Tally => ({
  histories: 0,
  killed: 0,
  kills: 0,
  crashed: 0,
  opens: 0,
  closes: 0,
  verified: 0,
  samples: 0,
  found: [],
});

/** Half of the seeds, one with kills and one without in turn, require the inspection of a tripped line. */
const isInspected = (seed: number): boolean => seed % 4 === 3 || seed % 4 === 0;
const historyOf = (seed: number) => historiesWith(process.env['HISTORY_COURSE'], isInspected(seed));
/** The histories of a seed; each is reproduced by its number in the sequence. */
const historiesOf = (seed: number, count: number): History[] =>
  fc
    .sample(
      fc.asyncProperty<[History]>(historyOf(seed), async () => {}),
      { seed, numRuns: count },
    )
    .map(([history]) => history);

const faultOf = (...kinds: Fault['do'][]): fc.Arbitrary<Fault> =>
  fc.record({
    at: fc.integer({ min: settlingSeconds + 1, max: 40 }),
    do: fc.constantFrom(...kinds),
    after: fc.integer({ min: 0, max: 60 }),
  });
const faults = fc
  .tuple(faultOf('kill'), fc.array(faultOf('kill', 'cutDatabase', 'stopDatabase'), { maxLength: 2 }))
  .map(([kill, more]) => [kill, ...more]);
/**
 * The faults of a seed's histories: a kill and perhaps other faults for every second seed, none for the
 * others. If the test has a PostgreSQL of its own, half of the seeds with faults also crash it.
 */
const faultsOf = (seed: number, mayCrash: boolean): Fault[] => {
  if (seed % 2 !== 0) return [];
  const crash = faultOf('crashBackend', 'crashDatabase');
  return [
    ...fc.sample(faults, { seed, numRuns: 1 })[0]!,
    ...(mayCrash && seed % 4 === 2 ? fc.sample(crash, { seed: seed + 1, numRuns: 1 }) : []),
  ];
};

/** In every third seed somebody, or a time server, sets the server's clock, once or twice, by minutes or hours. */
const clockSets = fc.array(
  fc.record({
    at: fc.integer({ min: settlingSeconds + 1, max: 40 }),
    do: fc.constant('setClock' as const),
    after: fc.integer({ min: 0, max: 60 }),
    ms: fc.constantFrom(180_000, -180_000, 1_800_000, -1_800_000, 7_200_000, -7_200_000),
  }),
  { minLength: 1, maxLength: 2 },
);
/** A step shortly before a kill is not noticed, as one while the server is down: decision 0522. */
const killedSoonSeconds = 2;
const clockSetsOf = (seed: number, others: readonly Fault[]): Fault[] => {
  if (seed % 3 !== 0) return [];
  const kills = others.filter((other) => other.do === 'kill');
  return fc
    .sample(clockSets, { seed, numRuns: 1 })[0]!
    .filter(({ at }) => !kills.some((kill) => kill.at >= at && kill.at - at <= killedSoonSeconds));
};

/** Every fifth seed plays with some alarm types switched off. */
const disabledOf = (seed: number): number[] => (seed % 5 === 3 ? [301, 401] : []);
const surroundingsOf = (seed: number, mayCrash: boolean) => {
  const faults = faultsOf(seed, mayCrash);
  return {
    faults: [...faults, ...clockSetsOf(seed, faults)],
    disabled: disabledOf(seed),
    inspectAfter: isInspected(seed) ? ('grave' as const) : ('never' as const),
  };
};

interface Batch {
  seed: number;
  /** Number of the first history to play. */
  from?: number;
  count: number;
  /** This PostgreSQL has no other user. */
  mayCrash?: boolean;
}
/** Plays this many histories of a seed in parallel and adds the findings. */
export const playSeed = async (
  server: Server,
  { seed, from = 0, count, mayCrash = false }: Batch,
  tally: Tally,
): Promise<void> => {
  const surroundings = surroundingsOf(seed, mayCrash);
  const isCrash = ({ do: what }: Fault) => what === 'crashBackend' || what === 'crashDatabase';
  const played = await play(server, historiesOf(seed, from + count).slice(from), surroundings);
  for (const [index, one] of played.entries()) {
    tally.histories += 1;
    if (one.kills > 0) tally.killed += 1;
    if (surroundings.faults.some(isCrash)) tally.crashed += 1;
    tally.opens += one.device.received.filter(({ command }) => command.cmd === 'open').length;
    tally.closes += one.device.received.filter(({ command }) => command.cmd === 'close').length;
    tally.verified += one.commands.filter(({ state }) => state === 'verified').length;
    tally.samples += one.samples.length;
    for (const violation of judge(one))
      tally.found.push({ ...violation, seed, path: String(from + index), mayCrash, played: one });
  }
  tally.kills += Math.max(0, ...played.map(({ kills }) => kills));
};

/** The smallest history that still violates the invariant, as far as fast-check finds one in time. */
export const shrink = async (
  server: Server,
  { seed, path, mayCrash, invariant }: Pick<Found, 'seed' | 'path' | 'mayCrash' | 'invariant'>,
  seconds: number,
): Promise<{ history: History; played: Played; violation: Violation; path: string } | null> => {
  let smallest: { history: History; played: Played; violation: Violation; path: string } | null = null;
  const until = Date.now() + seconds * 1000;
  const result = await fc.check(
    fc.asyncProperty(historyOf(seed), async (history) => {
      if (Date.now() > until) return;
      const [played] = await play(server, [history], surroundingsOf(seed, mayCrash));
      const violation = judge(played!).find((each) => each.invariant === invariant);
      if (!violation) return;
      smallest = { history, played: played!, violation, path };
      throw new Error(violation.what);
    }),
    { seed, path, numRuns: 1, endOnFailure: false },
  );
  const found = smallest as { history: History; played: Played; violation: Violation; path: string } | null;
  if (found) found.path = result.counterexamplePath ?? path;
  return found;
};

export const describeFound = ({ invariant, what, seed, path, mayCrash, played }: Found): string =>
  [
    `${invariant}: ${what}`,
    `HISTORY_SEED=${seed} HISTORY_PATH=${path}${mayCrash ? ' HISTORY_CRASH=1' : ''}`,
    JSON.stringify(played.history),
    ...played.notes,
  ].join('\n');

/** Counts by invariant, most frequent first. */
export const countsOf = (found: readonly Found[]): [Invariant, number][] => {
  const counts = new Map<Invariant, number>();
  for (const { invariant } of found) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
};
