import type { Logger } from 'pino';
import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { trimFailedSignIns } from './failed-sign-ins.store.ts';
import { browserMs } from './known-browsers.ts';

const everyMs = 3_600_000;
/** How long a session that is over can still say why. */
const keepEndedMs = 30 * 24 * 3_600_000;
const keepTriesMs = 24 * 3_600_000;

/** Forgets what signing in and repeated calls leave behind, once nothing can ask for it any more. */
export const createSessionUpkeep = ({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) =>
  createRounds({
    name: 'session upkeep',
    clock,
    log,
    longestMs: everyMs,
    async round() {
      const ago = (ms: number) => new Date(clock.now() - ms);
      await db.deleteFrom('serials').where('created_at', '<', ago(limits.serialMs)).execute();
      await db.deleteFrom('sessions').where('expires_at', '<', ago(keepEndedMs)).execute();
      await db.deleteFrom('sign_in_tries').where('last_at', '<', ago(keepTriesMs)).execute();
      await db.deleteFrom('known_browsers').where('used_at', '<', ago(browserMs)).execute();
      await trimFailedSignIns(db, clock.now());
      await db.deleteFrom('captchas').where('expires_at', '<', ago(0)).execute();
      await db.deleteFrom('one_time_links').where('expires_at', '<', ago(0)).execute();
      return null;
    },
  });
