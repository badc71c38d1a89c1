import type { Db } from '#database/connect.ts';
import { accountsOf } from '#server/core/account.ts';
import { holds } from '#server/core/scope.ts';

/**
 * Desired values that may not be sent any more: they waited for the device, and meanwhile their author lost
 * the permission. A desired value of the server itself has no author to check.
 */
export const withdrawn = async <Wish extends { user_id: number | null }>(
  db: Db,
  deviceId: number,
  wishes: readonly Wish[],
): Promise<Wish[]> => {
  const authorIds = wishes.flatMap(({ user_id }) => user_id ?? []);
  if (authorIds.length === 0) return [];
  const place = await db
    .selectFrom('devices')
    .select(['project_id', 'part_id'])
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const authors = await accountsOf(db, authorIds);
  return wishes.filter(({ user_id }) => {
    if (user_id === null) return false;
    const author = authors.get(user_id);
    return !(
      author?.permissions.has('device.configure') && holds(author.scope, place.project_id, place.part_id)
    );
  });
};
