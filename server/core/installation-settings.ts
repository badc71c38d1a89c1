import { sql } from 'kysely';
import * as z from 'zod';
import {
  installationSettings,
  type SettingDefinition,
  type SettingGroup,
  type SettingValues,
  settingSchema,
} from '#contract/settings.ts';
import type { Db } from '#database/connect.ts';

/** The present settings of a group; a missing or invalid one means its default. */
export const readSettings = async <Group extends SettingGroup>(
  db: Db,
  group: Group,
): Promise<SettingValues<Group>> => {
  const row = await db.selectFrom('settings').select('value').where('key', '=', group).executeTakeFirst();
  const given = z.record(z.string(), z.unknown()).safeParse(row?.value).data ?? {};
  const values = Object.entries<SettingDefinition>(installationSettings[group]).map(([name, definition]) => {
    const stored = settingSchema(definition).safeParse(given[name]);
    return [name, stored.success ? stored.data : definition.default];
  });
  return Object.fromEntries(values) as SettingValues<Group>;
};

/** Stores one setting of a group; null restores the default. The others of its row do not change. */
export const storeSetting = async (
  trx: Db,
  group: SettingGroup,
  own: string,
  value: boolean | number | string | null,
  now: Date,
): Promise<void> => {
  const given = value === null ? {} : { [own]: value };
  await sql`
    insert into settings (key, value, updated_at) values (${group}, ${JSON.stringify(given)}::jsonb, ${now})
    on conflict (key) do update set value = (settings.value - ${own}::text) || excluded.value,
      updated_at = excluded.updated_at`.execute(trx);
};
