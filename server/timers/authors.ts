import { timerPermissions } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { type Account, accountsOf } from '#server/core/account.ts';

/** The authors who may still switch lines by timers, with their present permissions. */
export const rightfulAuthors = async (
  db: Db,
  authorIds: readonly number[],
): Promise<ReadonlyMap<number, Account>> => {
  const accounts = await accountsOf(db, authorIds);
  return new Map(
    [...accounts].filter(([, { permissions }]) =>
      timerPermissions.every((permission) => permissions.has(permission)),
    ),
  );
};
