import { setTimeout as pause } from 'node:timers/promises';

/**
 * Maximum number of attempts of one transaction, and the longest pause before the second; before the third it
 * is doubled.
 */
const mostTries = 3;
const pauseMs = 50;

/**
 * PostgreSQL ended a transaction only because of another one: as the victim of a deadlock or of a
 * serialisation conflict.
 */
const isVictim = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');

/**
 * Retries a transaction that PostgreSQL ended because of another one. `work` is the whole transaction and has
 * no effect outside it; `forget` discards what it has collected for after its commit. The pause is random, so
 * that the two do not meet again.
 */
export const repeated = async <Result>(
  work: () => Promise<Result>,
  forget: () => void = () => {},
): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostTries || !isVictim(error)) throw error;
      forget();
      await pause(Math.random() * pauseMs * tries);
    }
  }
};
