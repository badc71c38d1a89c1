import { Readable } from 'node:stream';
import { Fault } from './fault.ts';

/** How often a long answer asks whether its reader may still have it, ms. */
const askEveryMs = 1000;

/**
 * A long answer that breaks off when its reader may no longer have it: a slow reader would get rows of an export for
 * hours after the session, the permission or a project was taken away. `mustBeAdmitted` throws a Fault then.
 */
export const whileAdmitted = (
  answer: Readable,
  clock: { now(): number },
  mustBeAdmitted: () => Promise<void>,
): Readable =>
  Readable.from(
    (async function* () {
      let askedAt = clock.now();
      for await (const chunk of answer) {
        if (Math.abs(clock.now() - askedAt) >= askEveryMs) {
          await mustBeAdmitted().catch((error: unknown) => {
            if (error instanceof Fault) throw new ReaderLost();
            throw error;
          });
          askedAt = clock.now();
        }
        yield chunk;
      }
    })(),
    { objectMode: false },
  );

/** Ends the connection before the rest is sent, so that an incomplete answer is not taken for a complete one. */
class ReaderLost extends Error {
  code = 'ECONNABORTED';
}
