import type { Db } from '#database/connect.ts';
import { type Account, accountOf } from '#server/core/account.ts';

/** A timer's author if they may still switch lines by timers, each asked for once. */
export const rightfulAuthors = (db: Db) => {
  const known = new Map<number, Promise<Account | null>>();
  return (authorId: number): Promise<Account | null> => {
    const asked =
      known.get(authorId) ??
      accountOf(db, authorId).then((account) =>
        account?.permissions.has('timer.write') && account.permissions.has('line.switch') ? account : null,
      );
    known.set(authorId, asked);
    return asked;
  };
};
