import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { Permission } from '#contract/permissions.ts';
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
import { placesNamed } from './places.ts';

type Found = ReplyOf<typeof searchEndpoints.find>;
interface Asked {
  text: string;
  /** One more than is shown, to say that there are more. */
  most: number;
}

/** Digits of what may be a phone number, an IMEI or an ICCID; null: it is none of them. */
const digitsOf = (text: string): string | null => {
  const digits = text.replace(/[\s()+-]/g, '');
  return /^\d{4,20}$/.test(digits) ? digits : null;
};
const han = /\p{Script=Han}/u;
/** Pairs of neighbouring characters, as `search_names` has them. */
const pairsOf = (text: string): string[] => {
  const chars = [...text.toLowerCase()];
  return chars.slice(1).map((char, index) => `${chars[index]}${char}`);
};
/** Latin letters may be pinyin: two of them its initials, three its syllables too. */
const lettersOf = (text: string): string | null =>
  /^[a-zA-Z' ]{2,40}$/.test(text) ? text.toLowerCase().replace(/[' ]/g, '') : null;
const shortestTrigram = 3;
/** Each name is in use somewhere, or was. */
const namesAtOnce = 200;

/**
 * Conditions that a name has the text in it. Chinese names are looked up in `search_names`: by pairs of characters, or
 * by pinyin. Other names by their trigrams, which a shorter text has none of.
 */
const named = (scope: Scope, text: string, column: RawBuilder<unknown>): RawBuilder<SqlBool>[] => {
  // For users who see everything the first names that match are enough; others have few rows: each name is looked up.
  const known = (condition: RawBuilder<unknown>) =>
    scope.all
      ? sql<SqlBool>`${column} = any(array(select known.name from search_names known where ${condition} limit ${namesAtOnce}))`
      : sql<SqlBool>`exists (select from search_names known where known.name = ${column} and (${condition}))`;
  if (han.test(text))
    return [known(sql`known.pairs @> ${pairsOf(text)}::text[] and known.name ilike ${containing(text)}`)];
  const letters = lettersOf(text);
  const hasTrigram = [...text].length >= shortestTrigram;
  return [
    ...(hasTrigram ? [sql<SqlBool>`${column} ilike ${containing(text)}`] : []),
    ...(letters === null
      ? []
      : [
          known(
            letters.length < shortestTrigram
              ? sql`known.initials like ${beginningWith(letters)}`
              : sql`known.initials like ${beginningWith(letters)} or known.pinyin like ${containing(letters)}`,
          ),
        ]),
  ];
};
const anyOf = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;

const projects = (db: Db, scope: Scope, { text, most }: Asked) => {
  const digits = digitsOf(text);
  return sql<Found['projects'][number]>`
    select id as project_id, name, address, contact_name, contact_phone from projects
    where ${notDeleted('projects')} and ${projectInScope(scope, 'projects.id')} and ${anyOf([
      sql`name ilike ${containing(text)}`,
      sql`code ilike ${beginningWith(text)}`,
      sql`contact_name ilike ${containing(text)}`,
      ...(digits === null ? [] : [sql<SqlBool>`contact_phone like ${beginningWith(digits)}`]),
      ...named(scope, text, sql`projects.name`),
    ])}
    order by name, id limit ${most}`.execute(db);
};

/** Numbers that begin with the text come first, by their own index; then other matches. */
const devices = async (db: Db, scope: Scope, asked: Asked) => {
  const { text, most } = asked;
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
  // One by one: each has its index, and most texts are found by the first.
  for (const condition of named(scope, text, sql`devices.name`)) await take(condition);
  if (digits !== null) {
    await take(sql<SqlBool>`devices.imei <> '' and devices.imei like ${beginningWith(digits)}`);
    await take(sql<SqlBool>`devices.iccid <> '' and devices.iccid like ${beginningWith(digits)}`);
    await take(sql<SqlBool>`devices.contacts <> '[]' and devices.contacts::text like ${containing(digits)}`);
  }
  if (!han.test(text) && [...text].length >= shortestTrigram)
    await take(sql<SqlBool>`devices.number ilike ${containing(text)}`);
  return [...found.values()].slice(0, most);
};

const lines = async (db: Db, scope: Scope, { text, most }: Asked) => {
  const found = new Map<number, Found['lines'][number]>();
  for (const condition of named(scope, text, sql`lines.name`)) {
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

const persons = (db: Db, scope: Scope, { text, most }: Asked) => {
  const digits = digitsOf(text);
  return sql<Found['persons'][number]>`
    select person.id as person_id, person.name, person.mobile, person.position from persons person
    where ${personVisible(scope)} and ${anyOf([
      sql`person.name ilike ${containing(text)}`,
      ...(digits === null ? [] : [sql<SqlBool>`person.mobile like ${containing(digits)}`]),
      ...named(scope, text, sql`person.name`),
    ])}
    order by person.name, person.id limit ${most}`.execute(db);
};

export const searchStore = (db: Db) => ({
  async find(caller: Caller, text: string, limit: number, language: Language, now: number): Promise<Found> {
    const { scope } = caller;
    const asked: Asked = { text, most: limit + 1 };
    const people = async (): Promise<Found['people']> => {
      if (!caller.permissions.has('user.read')) return [];
      const authority = await authorityOf(db, caller, 'user.read');
      const { list } = await userStore(db).list(
        { authority, language, now },
        { page: 1, limit: asked.most, search: text },
      );
      return list.map(({ user_id, username, nickname, mobile }) => ({ user_id, username, nickname, mobile }));
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
