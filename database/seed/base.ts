import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { sql } from 'kysely';
import { alarmCatalogue } from '#contract/alarm-catalogue.ts';
import { builtInRoles } from '#contract/permissions.ts';
import { firstDescription, firstName } from '#contract/role-names.ts';
import type { Db } from '#database/connect.ts';
import { readRegions } from './regions.ts';

const roles = Object.values(builtInRoles).map((code) => ({
  code,
  name: firstName(code),
  description: firstDescription(code),
}));

/** This setting exists until the first start has shown its password. */
export const firstStartKey = 'first_start';

/**
 * Inserts what every installation needs: the region tree, the built-in roles, the alarm types and the first
 * account. Does nothing if they exist. Returns the password of `admin` if it made one.
 */
export const furnishBase = async (
  db: Db,
  now: Date,
  adminPassword: string | undefined,
): Promise<{ fresh: boolean; madePassword: string | null }> => {
  const isFurnished = async (at: Db) =>
    (await at.selectFrom('roles').select('id').limit(1).executeTakeFirst()) !== undefined;
  if (await isFurnished(db)) return { fresh: false, madePassword: null };
  const password = adminPassword ?? randomBytes(9).toString('base64url');
  const password_hash = await hash(password);
  const fresh = await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('furnish base'))`.execute(trx);
    if (await isFurnished(trx)) return false; // another node did it meanwhile
    const regions = readRegions();
    for (let at = 0; at < regions.length; at += 1000)
      await trx
        .insertInto('regions')
        .values(regions.slice(at, at + 1000))
        .execute();
    const top = await trx
      .insertInto('roles')
      .values({ ...roles[0]!, built_in: true })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const role of roles.slice(1))
      await trx
        .insertInto('roles')
        .values({ ...role, built_in: true, parent_id: top.id })
        .execute();
    await trx
      .insertInto('alarm_types')
      .values(
        alarmCatalogue.map(({ code, offByDefault }) => ({
          code,
          enabled: offByDefault !== true,
          updated_at: now,
        })),
      )
      .execute();
    await trx
      .insertInto('users')
      .values({
        username: 'admin',
        nickname: 'admin',
        password_hash,
        password_changed_at: now,
        role_id: top.id,
        created_at: now,
      })
      .execute();
    await trx.insertInto('settings').values({ key: firstStartKey, value: 'true', updated_at: now }).execute();
    return true;
  });
  return { fresh, madePassword: fresh && adminPassword === undefined ? password : null };
};
