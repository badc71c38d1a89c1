import type { CoreDeps } from '#server/core/core-deps.ts';
import { createRounds } from '#server/core/rounds.ts';
import { tagStore } from './tags.store.ts';

/** Reports once that the review of an active tag is due. */
export const createTagReviews = ({ db, bus, clock, log }: CoreDeps) => {
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
