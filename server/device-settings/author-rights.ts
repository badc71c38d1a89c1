import { staysBehind } from '#contract/hazards.ts';
import type { Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { accountsOf } from '#server/core/account.ts';
import { holds } from '#server/core/scope.ts';
import { hazardOf, isNetControl, type Reported, type Wish } from './settings.rules.ts';

/** The permissions that the call asked for; `some`: one of them is enough. */
const needed = (wish: Wish, reported: Reported): { some: Permission[]; every: Permission[] } => ({
  // Remote control is also switched by a separate call, which needs another permission.
  some: isNetControl(wish) ? ['device.configure', 'device.control'] : ['device.configure'],
  every: hazardOf([wish], reported) === 'closes' ? ['line.switch'] : [],
});

type Asked = Wish & { user_id: number | null; project_id: number | null };
export const withdrawals = ['denied', 'moved'] as const;
type Withdrawal = (typeof withdrawals)[number];

/**
 * Desired values that may not be sent any more: while they waited for the device, their author lost a permission, or
 * the device left the project in which they were asked for. A desired value of the server itself has no author to check.
 */
export const withdrawn = async <Waiting extends Asked>(
  db: Db,
  deviceId: number,
  { wishes, reported }: { wishes: readonly Waiting[]; reported: Reported },
): Promise<Map<Waiting, Withdrawal>> => {
  const place = await db
    .selectFrom('devices')
    .select(['project_id', 'part_id'])
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow();
  const authors = await accountsOf(
    db,
    wishes.flatMap(({ user_id }) => user_id ?? []),
  );
  const isDenied = (wish: Waiting): boolean => {
    if (wish.user_id === null) return false;
    const author = authors.get(wish.user_id);
    if (!author || !holds(author.scope, place.project_id, place.part_id)) return true;
    const has = (permission: Permission) => author.permissions.has(permission);
    const { some, every } = needed(wish, reported);
    return !(some.some(has) && every.every(has));
  };
  const gone = new Map<Waiting, Withdrawal>();
  for (const wish of wishes) {
    if (isDenied(wish)) gone.set(wish, 'denied');
    else if (staysBehind(hazardOf([wish], reported), wish.project_id, place.project_id))
      gone.set(wish, 'moved');
  }
  return gone;
};
