import type pg from 'pg';
import type { Logger } from 'pino';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Judge } from '#server/core/group.ts';

/** The alarm rules that the link is measured with. */
export const judgeOf = async (_pool: pg.Pool, _bus: Bus, _clock: Clock, _log: Logger): Promise<Judge> => ({
  judge: () => ({ empty: true, write: async () => {}, settle: () => [], undo: () => {} }),
});
