import { sql } from 'kysely';
import type { FaultCode } from '#contract/faults/codes.ts';
import {
  definitionOf,
  type SettingDefinition,
  type SettingGroup,
  type SettingName,
  type SettingRow,
  settingGroups,
  settingNames,
  settingSchema,
} from '#contract/settings.ts';
import { exampleTileAddress } from '#contract/tiles.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { readSettings, storeSetting } from '#server/core/installation-settings.ts';
import type { FixedSettings } from '#server/core/map.ts';

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

export const settingRows = async (db: Db, fixed: FixedSettings): Promise<SettingRow[]> => {
  const values = await valuesNow(db);
  const { rows } = await sql<{ name: string; at: Date; operator: string }>`
    select distinct on (name) name, at, operator from setting_edits order by name, id desc`.execute(db);
  const changes = new Map(rows.map((row) => [row.name, row]));
  return settingNames.map((name) => {
    const definition = definitionOf(name);
    const isWhole = definition.kind === 'whole';
    const variable = fixed.get(name);
    const change = changes.get(name);
    return {
      name,
      kind: definition.kind,
      value: variable?.value ?? values.get(name)!,
      default: definition.default,
      min: isWhole ? definition.min : null,
      max: isWhole || definition.kind === 'text' ? definition.max : null,
      unit: isWhole ? definition.unit : null,
      choices: definition.kind === 'choice' ? [...definition.choices] : null,
      variable: variable?.variable ?? null,
      changed_at: change?.at.toISOString() ?? null,
      changed_by: change?.operator ?? null,
    };
  });
};

const flawOf = (
  definition: SettingDefinition,
): { code: FaultCode; with?: Record<string, string | number> } => {
  if (definition.kind === 'whole')
    return { code: 'settings.range', with: { min: definition.min, max: definition.max } };
  if (definition.kind === 'text' && definition.form === 'tiles')
    return { code: 'settings.tiles', with: { example: exampleTileAddress, max: definition.max } };
  return { code: 'settings.kind' };
};

/** The value as it is stored. Throws at the field `value` if it is invalid for the setting. */
const checked = (name: SettingName, value: Value): Value => {
  const definition = definitionOf(name);
  const parsed = settingSchema(definition).safeParse(value);
  if (parsed.success) return parsed.data;
  const { code, ...parameters } = flawOf(definition);
  return fault('request.invalid', { fields: { value: code }, ...parameters });
};

/** Stores a setting and its author. Returns the old and the new value. */
export const changeSetting = async (
  trx: Db,
  given: {
    name: SettingName;
    value: Value | null;
    by: { userId: number; username: string };
    now: number;
    fixed: FixedSettings;
  },
): Promise<{ before: Value; after: Value }> => {
  const { name, by } = given;
  const variable = given.fixed.get(name)?.variable;
  if (variable !== undefined) fault('settings.byVariable', { with: { variable } });
  const value = given.value === null ? null : checked(name, given.value);
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
