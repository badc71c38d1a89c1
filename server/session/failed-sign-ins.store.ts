import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** Counts a failed sign-in of an account ('' if it does not exist) from a network. */
export const recordFailedSignIn = async (
  db: Db,
  { account, network, now }: { account: string; network: string; now: number },
): Promise<void> => {
  const at = new Date(now);
  await db
    .insertInto('failed_sign_ins')
    .values({ account, network, failures: 1, first_at: at, last_at: at })
    .onConflict((conflict) =>
      conflict.columns(['account', 'network']).doUpdateSet((row) => ({
        failures: sql<number>`least(failed_sign_ins.failures + 1, 2147483647)`,
        last_at: row.ref('excluded.last_at'),
      })),
    )
    .execute();
};

/** Failed sign-ins, the newest first. */
export const failedSignIns = async (db: Db, { page, limit }: { page: number; limit: number }) => {
  const { total } = await db
    .selectFrom('failed_sign_ins')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('failed_sign_ins')
    .selectAll()
    .orderBy('last_at', 'desc')
    .orderBy('account')
    .orderBy('network')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const list = rows.map(({ account, network, failures, first_at, last_at }) => ({
    account,
    network,
    failures,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
  }));
  return { list, total, page, limit };
};
