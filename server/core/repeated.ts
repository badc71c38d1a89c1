import { setTimeout as pause } from 'node:timers/promises';

/** Tries of one transaction, and the longest pause before the second; before the third it is twice as long. */
const mostTries = 3;
const pauseMs = 50;

/** PostgreSQL ended a transaction only because of another one: as the victim of a deadlock or of serialisation. */
const isVictim = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');

/**
 * Does a transaction again that PostgreSQL ended for the sake of another one. `work` is the whole transaction and has
 * no effect outside of it; `forget` takes back what it has gathered for after its commit. The pause differs, so that
 * two that met do not meet again.
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
