import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { PersonRow, personnelEndpoints } from '#contract/personnel.ts';
import type { Db } from '#database/connect.ts';
import { containing } from '#server/core/containing.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { projectInScope, type Scope, wholeProjectInScope } from '#server/core/scope.ts';

type Filters = BodyOf<typeof personnelEndpoints.export>;
type Given = BodyOf<typeof personnelEndpoints.add>;
type Stored = Omit<PersonRow, 'created_at'> & { created_at: Date };

const exportBatch = 500;
/** The project's own contact comes first; two further contacts are called, because a device has three. */
const furtherContacts = 2;
const orders = {
  name: sql`lower(person.name), person.id`,
  '-name': sql`lower(person.name) desc, person.id desc`,
  created_at: sql`person.created_at, person.id`,
  '-created_at': sql`person.created_at desc, person.id desc`,
};

/** Projects of the person that still exist. */
const placesOf = sql`select p.id, p.name from person_projects named join projects p on p.id = named.project_id
  where named.person_id = person.id and ${notDeleted('p')}`;
/** Whether a scope sees `person`: a person of one of its projects. */
export const personVisible = (scope: Scope): RawBuilder<SqlBool> =>
  scope.all ? sql<SqlBool>`true` : sql<SqlBool>`exists (${placesOf} and ${projectInScope(scope, 'p.id')})`;
const condition = (scope: Scope, { search, project_id }: Filters) =>
  sql.join(
    [
      personVisible(scope),
      ...(search === undefined
        ? []
        : [
            sql`(person.name ilike ${containing(search)} or person.mobile ilike ${containing(search)}
              or person.position ilike ${containing(search)})`,
          ]),
      ...(project_id === undefined
        ? []
        : [sql`exists (${placesOf} and p.id = ${project_id} and ${projectInScope(scope, 'p.id')})`]),
    ],
    sql` and `,
  );
const columns = (scope: Scope) => sql`
  person.id as person_id, person.name, person.mobile, person.position, person.note, person.created_at, person.revision,
  (select coalesce(jsonb_agg(jsonb_build_object('project_id', place.id, 'name', place.name) order by place.name, place.id), '[]')
    from (${placesOf} and ${projectInScope(scope, 'p.id')}) place) as projects,
  exists (${placesOf} and not ${wholeProjectInScope(scope, 'p.id')}) as shared`;

const shown = (row: Stored): PersonRow => ({ ...row, created_at: row.created_at.toISOString() });

/** Further contacts of the project in `projectColumn`, as JSON of name and phone, in the order in which they were added. */
export const personnelContacts = (
  projectColumn: string,
): RawBuilder<{ name: string; phone: string }[] | null> =>
  sql`(select jsonb_agg(jsonb_build_object('name', called.name, 'phone', called.mobile) order by called.id)
    from (select person.id, person.name, person.mobile from person_projects named
      join persons person on person.id = named.person_id where named.project_id = ${sql.ref(projectColumn)}
      order by person.id limit ${furtherContacts}) called)`;

export const personnelStore = (db: Db) => ({
  async list(scope: Scope, body: BodyOf<typeof personnelEndpoints.list>) {
    const { page, limit, sort, search, project_id } = body;
    const where = condition(scope, { search, project_id });
    const order = orders[(sort ?? '-created_at') as keyof typeof orders];
    const [counted, rows] = await Promise.all([
      sql<{ total: number }>`select count(*) as total from persons person where ${where}`.execute(db),
      sql<Stored>`select ${columns(scope)} from persons person where person.id in (
          select person.id from persons person where ${where} order by ${order} limit ${limit} offset ${(page - 1) * limit})
        order by ${order}`.execute(db),
    ]);
    return { list: rows.rows.map(shown), total: counted.rows[0]?.total ?? 0, page, limit };
  },

  async *every(scope: Scope, filters: Filters): AsyncGenerator<PersonRow> {
    const where = condition(scope, filters);
    for (let last = 0; ; ) {
      const { rows } = await sql<Stored>`
        select ${columns(scope)} from persons person where ${where} and person.id > ${last}
        order by person.id limit ${exportBatch}`.execute(db);
      yield* rows.map(shown);
      if (rows.length < exportBatch) return;
      last = rows.at(-1)!.person_id;
    }
  },

  /** Locks a person of the caller's scope. Throws `person.missing`. */
  async hold(scope: Scope, personId: number): Promise<PersonRow> {
    await sql`select from persons where id = ${personId} for update`.execute(db);
    const { rows } = await sql<Stored>`
      select ${columns(scope)} from persons person where person.id = ${personId} and ${personVisible(scope)}`.execute(
      db,
    );
    return rows[0] ? shown(rows[0]) : fault('person.missing');
  },

  /** Refuses projects that are unknown or not completely in the caller's scope, with the same fault. */
  async needsProjects(scope: Scope, projectIds: readonly number[]): Promise<void> {
    const { rows } = await sql<{ found: number }>`
      select count(*) as found from projects p
      where p.id = any(${[...projectIds]}::int[]) and ${notDeleted('p')} and ${wholeProjectInScope(scope, 'p.id')}`.execute(
      db,
    );
    if ((rows[0]?.found ?? 0) < new Set(projectIds).size)
      fault('request.invalid', { fields: { project_ids: 'person.projects' } });
  },

  async add({ project_ids, ...person }: Given, now: number): Promise<number> {
    const { id } = await db
      .insertInto('persons')
      .values({ ...person, created_at: new Date(now) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await addTo(db, id, project_ids);
    return id;
  },

  async edit(
    personId: number,
    changes: {
      name?: string | undefined;
      mobile?: string | undefined;
      position?: string | undefined;
      note?: string | undefined;
    },
  ): Promise<void> {
    const given = Object.fromEntries(Object.entries(changes).filter(([, text]) => text !== undefined));
    await db
      .updateTable('persons')
      .set((row) => ({ ...given, revision: row('revision', '+', 1) }))
      .where('id', '=', personId)
      .execute();
  },

  /** Replaces the person's projects within the scope; those outside it stay. */
  async setProjects(scope: Scope, personId: number, projectIds: readonly number[]): Promise<void> {
    await sql`delete from person_projects named where named.person_id = ${personId}
      and ${wholeProjectInScope(scope, 'named.project_id')}`.execute(db);
    await addTo(db, personId, projectIds);
  },

  /** Throws `person.shared` if the caller manages none of the person's projects completely. */
  async remove(scope: Scope, { person_id, shared }: PersonRow): Promise<void> {
    const { numAffectedRows } =
      await sql`delete from person_projects named where named.person_id = ${person_id}
      and ${wholeProjectInScope(scope, 'named.project_id')}`.execute(db);
    if (shared && numAffectedRows === 0n) fault('person.shared');
    if (!shared) await db.deleteFrom('persons').where('id', '=', person_id).execute();
  },
});

const addTo = async (db: Db, personId: number, projectIds: readonly number[]): Promise<void> => {
  await db
    .insertInto('person_projects')
    .values([...new Set(projectIds)].map((project_id) => ({ person_id: personId, project_id })))
    .execute();
};
