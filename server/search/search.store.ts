import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { Permission } from '#contract/permissions.ts';
import { han } from '#contract/pinyin.ts';
import type { SearchGroup, searchEndpoints } from '#contract/search.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { authorityOf } from '#server/core/authority.ts';
import { beginningWith, containing } from '#server/core/containing.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { personVisible } from '#server/personnel/personnel.store.ts';
import { userStore } from '#server/users/users.store.ts';
import { alarmTypesNamed } from './alarm-types.ts';
import { initialsMeant, lettersOf, spokenPattern } from './pinyin.ts';
import { placesNamed } from './places.ts';

type Found = ReplyOf<typeof searchEndpoints.find>;
interface Asked {
  text: string;
  /** One more than shown, to know whether there are more. */
  most: number;
  named: Named;
}

/** Digits of a possible phone number, IMEI or ICCID; null: it cannot be one. */
const digitsOf = (text: string): string | null => {
  const digits = text.replace(/[\s()+-]/g, '');
  return /^\d{4,20}$/.test(digits) ? digits : null;
};
/** The text as `search_names` stores it: a single character, or pairs of neighbouring characters. */
const piecesOf = (text: string): string[] => {
  const chars = [...text.toLowerCase()];
  return chars.length === 1 ? chars : chars.slice(1).map((char, index) => `${chars[index]}${char}`);
};
const shortestTrigram = 3;
/** Maximum number of matching names that a condition lists; all of them are or were in use. */
const namesAtOnce = 200;

const anyOf = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
/** How `search_names` finds a text: by its characters, or by pinyin that begins at a syllable. */
const knownAs = (text: string): RawBuilder<SqlBool> | null => {
  if (han.test(text))
    return sql<SqlBool>`known.pieces @> ${piecesOf(text)}::text[] and known.name ilike ${containing(text)}`;
  const letters = lettersOf(text);
  if (letters === null) return null;
  const starts = [letters, ...initialsMeant(letters)].map(
    (start) => sql<SqlBool>`known.starts like ${containing(` ${start}`)}`,
  );
  return sql<SqlBool>`${anyOf(starts)} and known.spoken ~ ${spokenPattern(letters)}`;
};

type Named = (column: RawBuilder<unknown>) => RawBuilder<SqlBool>[];
/**
 * Conditions that a name contains the text. Chinese names are looked up in `search_names`, other names by
 * trigrams, if the text is long enough. The matching names are read first, so that the planner knows how many
 * rows have them. If there are too many, the first ones are enough for users who see everything; for others,
 * each of their few names is looked up.
 */
const namedBy = async (db: Db, scope: Scope, text: string): Promise<Named> => {
  const hasTrigram = !han.test(text) && [...text].length >= shortestTrigram;
  const known = knownAs(text);
  const names =
    known === null
      ? []
      : (
          await sql<{ name: string }>`
            select known.name from search_names known where ${known} limit ${namesAtOnce}`.execute(db)
        ).rows.map(({ name }) => name);
  const isAll = scope.all || names.length < namesAtOnce;
  return (column) => [
    ...(hasTrigram ? [sql<SqlBool>`${column} ilike ${containing(text)}`] : []),
    ...(isAll && names.length > 0 ? [sql<SqlBool>`${column} = any(${names}::text[])`] : []),
    ...(known !== null && !isAll
      ? [sql<SqlBool>`exists (select from search_names known where known.name = ${column} and (${known}))`]
      : []),
  ];
};
const projects = (db: Db, scope: Scope, { text, most, named }: Asked) => {
  const digits = digitsOf(text);
  return sql<Found['projects'][number]>`
    select id as project_id, name, address, contact_name, contact_phone from projects
    where ${notDeleted('projects')} and ${projectInScope(scope, 'projects.id')} and ${anyOf([
      sql`name ilike ${containing(text)}`,
      sql`code ilike ${beginningWith(text)}`,
      sql`contact_name ilike ${containing(text)}`,
      ...(digits === null ? [] : [sql<SqlBool>`contact_phone like ${beginningWith(digits)}`]),
      ...named(sql`projects.name`),
    ])}
    order by name, id limit ${most}`.execute(db);
};

/** Devices whose number begins with the text come first, by a separate index; then other matches. */
const devices = async (db: Db, scope: Scope, asked: Asked) => {
  const { text, most, named } = asked;
  const digits = digitsOf(text);
  const rows = (condition: RawBuilder<SqlBool>, order: RawBuilder<unknown>) =>
    sql<Found['devices'][number]>`
      select devices.id as device_id, devices.number, devices.name, coalesce(projects.name, '') as project_name,
        coalesce(state.online, false) as online
      from devices left join projects on projects.id = devices.project_id
      left join device_state state on state.device_id = devices.id
      where ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')} and ${condition}
      ${order} limit ${most}`.execute(db);
  const found = new Map<number, Found['devices'][number]>();
  const take = async (condition: RawBuilder<SqlBool>, order = sql``) => {
    if (found.size >= most) return;
    for (const row of (await rows(condition, order)).rows) found.set(row.device_id, row);
  };
  await take(
    sql<SqlBool>`devices.number like ${beginningWith(text.toUpperCase())}`,
    sql`order by devices.number`,
  );
  // One condition at a time, because each has its index and the first finds most texts.
  for (const condition of named(sql`devices.name`)) await take(condition);
  if (digits !== null) {
    await take(sql<SqlBool>`devices.imei <> '' and devices.imei like ${beginningWith(digits)}`);
    await take(sql<SqlBool>`devices.iccid <> '' and devices.iccid like ${beginningWith(digits)}`);
    await take(sql<SqlBool>`devices.contacts <> '[]' and devices.contacts::text like ${containing(digits)}`);
  }
  if (!han.test(text) && [...text].length >= shortestTrigram)
    await take(sql<SqlBool>`devices.number ilike ${containing(text)}`);
  return [...found.values()].slice(0, most);
};

const lines = async (db: Db, scope: Scope, { most, named }: Asked) => {
  const found = new Map<number, Found['lines'][number]>();
  for (const condition of named(sql`lines.name`)) {
    if (found.size >= most) break;
    const { rows } = await sql<Found['lines'][number]>`
      select lines.id as line_id, lines.device_id, lines.n, lines.name, devices.number as device_number,
        coalesce(projects.name, '') as project_name
      from lines join devices on devices.id = lines.device_id
      left join projects on projects.id = devices.project_id
      where lines.n > 0 and ${notDeleted('devices')}
        and ${inScope(scope, 'devices.project_id', 'devices.part_id')} and ${condition}
      limit ${most}`.execute(db);
    for (const row of rows) found.set(row.line_id, row);
  }
  return [...found.values()].slice(0, most);
};

const alarms = (db: Db, scope: Scope, { text, most }: Asked) =>
  sql<Found['alarms'][number]>`
    select a.id, a.work_order, a.code as "typeNumber", coalesce(projects.name, '') as project_name,
      coalesce(devices.number, '') as device_number
    from alarms a left join projects on projects.id = a.project_id left join devices on devices.id = a.device_id
    where a.work_order = ${text.toUpperCase()} and ${notDeleted('a')} and ${alarmsInScope(scope)}
    limit ${most}`.execute(db);

const persons = (db: Db, scope: Scope, { text, most, named }: Asked) => {
  const digits = digitsOf(text);
  return sql<Found['persons'][number]>`
    select person.id as person_id, person.name, person.mobile, person.position from persons person
    where ${personVisible(scope)} and ${anyOf([
      sql`person.name ilike ${containing(text)}`,
      ...(digits === null ? [] : [sql<SqlBool>`person.mobile like ${containing(digits)}`]),
      ...named(sql`person.name`),
    ])}
    order by person.name, person.id limit ${most}`.execute(db);
};

export const searchStore = (db: Db) => ({
  async find(caller: Caller, text: string, limit: number, language: Language, now: number): Promise<Found> {
    const { scope } = caller;
    const asked: Asked = { text, most: limit + 1, named: await namedBy(db, scope, text) };
    const people = async (): Promise<Found['people']> => {
      if (!caller.permissions.has('user.read')) return [];
      return userStore(db).find(await authorityOf(db, caller, 'user.read'), text, asked.most);
    };
    const may = (permission: Permission) => caller.permissions.has(permission);
    const here = { ...asked, language, now };
    const [ofProjects, ofDevices, ofLines, ofAlarms, alarm_types, regions, ofPeople, ofPersons] =
      await Promise.all([
        projects(db, scope, asked),
        devices(db, scope, asked),
        lines(db, scope, asked),
        alarms(db, scope, asked),
        may('alarm.read') ? alarmTypesNamed(db, scope, here) : [],
        may('project.read') ? placesNamed(db, scope, here) : [],
        people(),
        may('person.read') ? persons(db, scope, asked) : null,
      ]);
    const found = {
      projects: ofProjects.rows,
      devices: ofDevices,
      lines: ofLines,
      alarms: ofAlarms.rows,
      alarm_types,
      regions,
      people: ofPeople,
      persons: ofPersons?.rows ?? [],
    };
    const more = (Object.keys(found) as SearchGroup[]).filter((group) => found[group].length > limit);
    return {
      projects: found.projects.slice(0, limit),
      devices: found.devices.slice(0, limit),
      lines: found.lines.slice(0, limit),
      alarms: found.alarms.slice(0, limit),
      alarm_types: found.alarm_types.slice(0, limit),
      regions: found.regions.slice(0, limit),
      people: found.people.slice(0, limit),
      persons: found.persons.slice(0, limit),
      more,
    };
  },
});
