import { limits } from '#contract/limits.ts';
import type { Db } from '#database/connect.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { trimFailedSignIns } from './failed-sign-ins.store.ts';
import { browserMs } from './known-browsers.ts';

const everyMs = 3_600_000;
/** How long a session that is over can still say why. */
const keepEndedMs = 30 * 24 * 3_600_000;
const keepTriesMs = 24 * 3_600_000;

/** Forgets what signing in and repeated calls leave behind, once nothing can ask for it any more. Returns how many rows. */
export const tidySessions = async (db: Db, now: number): Promise<number> => {
  const ago = (ms: number) => new Date(now - ms);
  const gone = [
    await db.deleteFrom('serials').where('created_at', '<', ago(limits.serialMs)).executeTakeFirst(),
    await db.deleteFrom('sessions').where('expires_at', '<', ago(keepEndedMs)).executeTakeFirst(),
    await db.deleteFrom('sign_in_tries').where('last_at', '<', ago(keepTriesMs)).executeTakeFirst(),
    await db.deleteFrom('known_browsers').where('used_at', '<', ago(browserMs)).executeTakeFirst(),
    await db.deleteFrom('captchas').where('expires_at', '<', ago(0)).executeTakeFirst(),
    await db.deleteFrom('one_time_links').where('expires_at', '<', ago(0)).executeTakeFirst(),
  ];
  await trimFailedSignIns(db, now);
  return gone.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
};

export const sessionUpkeep = (db: Db): TimedWork => ({
  name: 'sessionUpkeep',
  next: every(everyMs),
  run: async ({ now }) => ({ removed: await tidySessions(db, now) }),
});
