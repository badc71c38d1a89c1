import { setTimeout as delay } from 'node:timers/promises';
import { format, isDeepStrictEqual } from 'node:util';
import { patienceMs } from './patience.ts';

const firstPauseMs = 5;
const longestPauseMs = 50;

/**
 * Checks until the state is there and returns whether it came in time. Pauses grow: a fast result is seen soon,
 * and a long wait leaves processor time to the tested program.
 */
const comes = async (isThere: () => Promise<boolean>, withinMs: number): Promise<boolean> => {
  const end = Date.now() + withinMs;
  for (let pauseMs = firstPauseMs; !(await isThere()); pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)) {
    if (Date.now() > end) return false;
    await delay(pauseMs);
  }
  return true;
};

interface Patience {
  withinMs?: number;
  /** Further facts for the message of a failure. */
  said?: () => unknown;
}
/** Repeats a query until it returns a value, for states that no event announces. */
export const eventually = async <T>(
  look: () => Promise<T | null | undefined | false>,
  { withinMs = patienceMs, said = () => look }: Patience = {},
): Promise<T> => {
  let found: T | null | undefined | false;
  const isThere = async () => {
    found = await look();
    return found !== null && found !== undefined && found !== false;
  };
  if (await comes(isThere, withinMs)) return found as T;
  throw new Error(`not within ${withinMs} ms: ${format(await said())}`);
};

/** Repeats a query until its result is as expected; a failure shows the last result. */
export const becomes = async <T>(look: () => Promise<T>, expected: T): Promise<void> => {
  let seen: T | undefined;
  const isThere = async () => {
    seen = await look();
    return isDeepStrictEqual(seen, expected);
  };
  if (await comes(isThere, patienceMs)) return;
  throw new Error(`not ${JSON.stringify(expected)} within ${patienceMs} ms, but ${JSON.stringify(seen)}`);
};
