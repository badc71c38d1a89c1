import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type * as z from 'zod';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { projectEndpoints, projectRow } from '#contract/projects.ts';
import { type NamedRegion, regionPathText } from '#contract/region-names.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { containing } from '#server/core/containing.ts';
import { positionCounts, trippedCount } from '#server/core/line-positions.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import { regionPath } from '#server/regions/regions.store.ts';
import { tagBadges } from '#server/tags/badges.store.ts';

export type ProjectRow = z.output<typeof projectRow>;
type StoredRow = Omit<
  ProjectRow,
  | 'joined_at'
  | 'region'
  | 'tags'
  | 'online_rate'
  | 'month_handling_rate'
  | 'month_unprocessed_rate'
  | 'position_at'
> & {
  joined_at: Date;
  position_at: Date | null;
  path: NamedRegion[];
};
type Filters = BodyOf<typeof projectEndpoints.export>;
/** Number of rows that an export reads at once. */
const exportPage = 200;

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const orders = {
  name: sql`projects.name, projects.id`,
  '-name': sql`projects.name desc, projects.id desc`,
  joined_at: sql`projects.joined_at, projects.id`,
  '-joined_at': sql`projects.joined_at desc, projects.id desc`,
};

const conditionOf = (scope: Scope, { project_name, region_id }: Filters): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.join(
    [
      notDeleted('projects'),
      sql`${projectInScope(scope, 'projects.id')}`,
      ...(project_name === undefined ? [] : [sql`projects.name ilike ${containing(project_name)}`]),
      ...(region_id === undefined
        ? []
        : [
            sql`projects.region_id in (
              select below.id from regions asked join regions below on below.path like asked.path || '%'
              where asked.id = ${region_id})`,
          ]),
    ],
    sql` and `,
  )}`;

export const projectStore = (db: Db) => ({
  async list(scope: Scope, body: BodyOf<typeof projectEndpoints.list>, now: number, language: Language) {
    const { page, limit, sort } = body;
    const where = conditionOf(scope, body);
    const [counted, rows] = await Promise.all([
      sql<{ total: number }>`select count(*) as total from projects where ${where}`.execute(db),
      sql<StoredRow>`
        select page.*, ${regionPath('regions.path')} as path, held.devices, held.devices_online,
          switches.*, coalesce(alarm_counts.unprocessed, 0) as unprocessed, coalesce(alarm_counts.worst, 0) as worst,
          month.month_raised, month.month_processed
        from (
          select id as project_id, code as project_codeid, name, kind, region_id, address, detailed_address,
            contact_name, contact_phone,
            area_m2, contract_kw, lat, lng, time_zone, nominal_voltage, joined_at, revision,
            row_number() over (order by ${orders[(sort ?? 'name') as keyof typeof orders]}) as place
          from projects where ${where} order by place limit ${limit} offset ${(page - 1) * limit}) page
        join regions on regions.id = page.region_id
        cross join lateral (
          select count(*) as devices, count(*) filter (where s.online) as devices_online
          from devices left join device_state s on s.device_id = devices.id
          where devices.project_id = page.project_id and ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}) held
        cross join lateral (
          select ${positionCounts(now)}, ${trippedCount}
          from devices join lines on lines.device_id = devices.id and lines.n > 0
          left join line_latest latest on latest.line_id = lines.id
          where devices.project_id = page.project_id and ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}) switches
        cross join lateral (
          select count(*) as unprocessed, max(level) filter (where cleared_at is null) as worst from shown_alarms(${new Date(now)}) a
          where project_id = page.project_id and ${alarmsInScope(scope)} and handled_at is null) alarm_counts
        cross join lateral (
          select count(*) as month_raised, count(handled_at) as month_processed from counted_alarms() a
          where project_id = page.project_id and ${alarmsInScope(scope)} and processed in (true, false)
            and raised_at >= date_trunc('month', ${new Date(now)}::timestamptz, page.time_zone)) month
        order by page.place`.execute(db),
    ]);
    const placeOf = ({ project_id }: StoredRow) => ({ lineId: null, deviceId: null, projectId: project_id });
    const tagsOn = await tagBadges(db, scope, rows.rows.map(placeOf));
    return {
      list: rows.rows.map(
        ({ path, ...row }): ProjectRow => ({
          ...row,
          tags: tagsOn(placeOf({ path, ...row })),
          region: regionPathText(path, language),
          joined_at: row.joined_at.toISOString(),
          position_at: row.position_at?.toISOString() ?? null,
          online_rate: share(row.devices_online, row.devices),
          month_handling_rate: share(row.month_processed, row.month_raised),
          month_unprocessed_rate: share(row.month_raised - row.month_processed, row.month_raised),
        }),
      ),
      total: counted.rows[0]!.total,
      page,
      limit,
    };
  },

  /** All that the filter shows, by name. */
  async *every(scope: Scope, filters: Filters, now: number, language: Language): AsyncGenerator<ProjectRow> {
    for (let page = 1; ; page++) {
      const { list } = await this.list(scope, { ...filters, page, limit: exportPage }, now, language);
      yield* list;
      if (list.length < exportPage) return;
    }
  },

  /** Which of these numbers can be bound to the project, in the requested order. */
  async findDevices(scope: Scope, projectId: number, numbers: readonly string[]) {
    const rows = await db
      .selectFrom('devices')
      .leftJoin('projects', 'projects.id', 'devices.project_id')
      .select([
        'devices.id',
        'devices.number',
        'devices.name',
        'devices.type',
        'devices.project_id',
        'projects.name as project_name',
      ])
      .where('devices.number', 'in', numbers)
      .where(notDeleted('devices'))
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .execute();
    const known = new Map(rows.map((row) => [row.number, row]));
    const stateOf = (project: number | null) =>
      project === null ? 'unbound' : project === projectId ? 'here' : 'elsewhere';
    return [...new Set(numbers)].map((number) => {
      const row = known.get(number);
      return {
        number,
        state: row ? (stateOf(row.project_id) as 'unbound') : ('missing' as const),
        device_id: row?.id ?? null,
        name: row?.name ?? '',
        type: row?.type ?? null,
        project_name: row?.project_name ?? '',
      };
    });
  },

  async options(scope: Scope, { name, project_id, limit }: BodyOf<typeof projectEndpoints.options>) {
    const projects = await db
      .selectFrom('projects')
      .select(['id', 'name'])
      .where(notDeleted('projects'))
      .where(projectInScope(scope, 'projects.id'))
      .$if(name !== undefined, (query) => query.where('name', 'ilike', containing(name!)))
      .$if(project_id !== undefined, (query) => query.where('id', '=', project_id!))
      .orderBy('name')
      .orderBy('id')
      .limit(limit)
      .execute();
    if (projects.length === 0) return { list: [] };
    const parts = await db
      .selectFrom('project_parts')
      .select(['id', 'project_id', 'name'])
      .where(
        'project_id',
        'in',
        projects.map((project) => project.id),
      )
      .where(inScope(scope, 'project_parts.project_id', 'project_parts.id'))
      .orderBy('name')
      .execute();
    return {
      list: projects.map((project) => ({
        project_id: project.id,
        name: project.name,
        parts: parts
          .filter((part) => part.project_id === project.id)
          .map((part) => ({ part_id: part.id, name: part.name })),
      })),
    };
  },
});
