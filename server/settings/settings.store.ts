import { sql } from 'kysely';
import {
  definitionOf,
  type SettingGroup,
  type SettingName,
  type SettingRow,
  settingGroups,
  settingNames,
  settingSchema,
} from '#contract/settings.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { readSettings, storeSetting } from '#server/core/installation-settings.ts';

const split = (name: SettingName) => name.split('.') as [SettingGroup, string];
const historyRows = 50;

type Value = SettingRow['value'];
const valuesNow = async (db: Db): Promise<Map<string, Value>> => {
  const values = new Map<string, Value>();
  for (const group of settingGroups)
    for (const [own, value] of Object.entries<Value>(await readSettings(db, group)))
      values.set(`${group}.${own}`, value);
  return values;
};

export const settingRows = async (db: Db): Promise<SettingRow[]> => {
  const values = await valuesNow(db);
  const { rows } = await sql<{ name: string; at: Date; operator: string }>`
    select distinct on (name) name, at, operator from setting_edits order by name, id desc`.execute(db);
  const changes = new Map(rows.map((row) => [row.name, row]));
  return settingNames.map((name) => {
    const definition = definitionOf(name);
    const isWhole = definition.kind === 'whole';
    const change = changes.get(name);
    return {
      name,
      kind: definition.kind,
      value: values.get(name)!,
      default: definition.default,
      min: isWhole ? definition.min : null,
      max: isWhole ? definition.max : null,
      unit: isWhole ? definition.unit : null,
      choices: definition.kind === 'choice' ? [...definition.choices] : null,
      changed_at: change?.at.toISOString() ?? null,
      changed_by: change?.operator ?? null,
    };
  });
};

/** Throws at the field `value` if the value is invalid for the setting. */
const check = (name: SettingName, value: Value): void => {
  const definition = definitionOf(name);
  if (settingSchema(definition).safeParse(value).success) return;
  const about = definition.kind === 'whole' ? { min: definition.min, max: definition.max } : {};
  fault('request.invalid', {
    fields: { value: definition.kind === 'whole' ? 'settings.range' : 'settings.kind' },
    with: about,
  });
};

/** Stores a setting and its author. Returns the old and the new value. */
export const changeSetting = async (
  trx: Db,
  given: {
    name: SettingName;
    value: Value | null;
    by: { userId: number; username: string };
    now: number;
  },
): Promise<{ before: Value; after: Value }> => {
  const { name, value, by } = given;
  if (value !== null) check(name, value);
  const [group, own] = split(name);
  const now = new Date(given.now);
  // One change at a time, because each edit starts from the result of the previous one.
  await sql`select pg_advisory_xact_lock(hashtext('settings of the installation'))`.execute(trx);
  const before = (await valuesNow(trx)).get(name)!;
  await storeSetting(trx, group, own, value, now);
  const after = (await valuesNow(trx)).get(name)!;
  if (after !== before)
    await trx
      .insertInto('setting_edits')
      .values({
        name,
        at: now,
        user_id: by.userId,
        operator: by.username,
        before: JSON.stringify(before),
        after: JSON.stringify(after),
      })
      .execute();
  return { before, after };
};

export const settingHistory = async (db: Db, name: SettingName) => {
  const rows = await db
    .selectFrom('setting_edits')
    .select(['at', 'operator', 'before', 'after'])
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .limit(historyRows)
    .execute();
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
};
