import type { Db } from '#database/connect.ts';

/** Settings of the whole installation by key. Undefined if none is stored. */
export const readSetting = async (db: Db, key: string): Promise<unknown> =>
  (await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst())?.value;

export const writeSetting = async (db: Db, key: string, value: unknown, now: number): Promise<void> => {
  const row = { value: JSON.stringify(value), updated_at: new Date(now) };
  await db
    .insertInto('settings')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
};

/** The stored value; its row is locked until the transaction ends. */
export const lockSetting = async (trx: Db, key: string): Promise<unknown> =>
  (await trx.selectFrom('settings').select('value').where('key', '=', key).forUpdate().executeTakeFirst())
    ?.value;

/**
 * Stores the same value in another form. The time of the last change stays, because the setting did not
 * change.
 */
export const rewriteSetting = async (trx: Db, key: string, value: unknown): Promise<void> => {
  await trx
    .updateTable('settings')
    .set({ value: JSON.stringify(value) })
    .where('key', '=', key)
    .execute();
};

/** Stores the value unless another node was first. */
export const writeSettingOnce = async (db: Db, key: string, value: unknown, now: number): Promise<void> => {
  await db
    .insertInto('settings')
    .values({ key, value: JSON.stringify(value), updated_at: new Date(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

export const forgetSetting = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('settings').where('key', '=', key).execute();
};
