import type { Db } from '#database/connect.ts';
import type { Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Live } from '#server/core/live.ts';

const everyMs = 300;

/** Progress of rollouts, for the consoles of their authors and of users who see every project. */
export const rolloutLive = ({
  db,
  bus,
  live,
  clock,
}: {
  db: Db;
  bus: Bus;
  live: Live;
  clock: Clock;
}): void => {
  const soon = new Set<number>();
  const report = async (id: number): Promise<void> => {
    soon.delete(id);
    const row = await db
      .selectFrom('rollouts')
      .select(['state', 'author_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return;
    const event = { rollout_id: id, state: row.state };
    live.send('rollout', event, { projectId: null, partId: null });
    live.send('rollout', event, { projectId: null, partId: null, userIds: [row.author_id] });
  };
  bus.on('rollout.changed', ({ rolloutId }) => {
    if (soon.has(rolloutId)) return;
    soon.add(rolloutId);
    clock.after(everyMs, () => {
      report(rolloutId).catch(() => {}); // the database is down: consoles load again when it is back
    });
  });
};
