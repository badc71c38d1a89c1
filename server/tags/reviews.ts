import type { Logger } from 'pino';
import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { createRounds } from '#server/core/rounds.ts';
import { tagStore } from './tags.store.ts';

/** Reports once that the review of an active tag is due. */
export const createTagReviews = ({
  db,
  bus,
  clock,
  log,
}: {
  db: Db;
  bus: Bus;
  clock: Clock;
  log: Logger;
}) => {
  let listening = () => {};
  const rounds = createRounds({
    name: 'tag reviews',
    clock,
    log,
    async round() {
      const store = tagStore(db);
      for (const change of await store.takeDueReviews(clock.now())) bus.emit('tag.changed', change);
      return store.nextReview();
    },
  });
  return {
    async start(): Promise<void> {
      listening = bus.on('tag.changed', ({ kind }) => {
        if (kind !== 'review') rounds.wake();
      });
      rounds.start();
    },
    async stop(): Promise<void> {
      listening();
      await rounds.stop();
    },
  };
};
