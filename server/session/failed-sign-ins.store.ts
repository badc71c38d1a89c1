import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

const keepDays = 90;
const mostRows = 10_000;

/** Counts a failed sign-in of an account ('' where it does not exist) from a network. */
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

/** Forgets what is older than 90 days, and the oldest beyond 10,000 rows. */
export const trimFailedSignIns = async (db: Db, now: number): Promise<void> => {
  await db
    .deleteFrom('failed_sign_ins')
    .where('last_at', '<', new Date(now - keepDays * 86_400_000))
    .execute();
  await sql`
    delete from failed_sign_ins where last_at < (
      select last_at from failed_sign_ins order by last_at desc offset ${mostRows} limit 1)`.execute(db);
};
