import { type RawBuilder, sql } from 'kysely';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { positionCounts as counts } from '#contract/lines.ts';
import { type NamedRegion, regionPathText } from '#contract/region-names.ts';
import { deviceTypes, lineChannels } from '#contract/telemetry.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { freshSql } from '#server/core/fresh-report.ts';
import { shareOf } from '#server/core/growth.ts';
import { positionCounts } from '#server/core/line-positions.ts';
import type { Keep } from '#server/core/memory.ts';
import { countsInProjectNow } from '#server/core/metered-lines.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import { sumKnown } from '#server/core/sum-known.ts';
import { startOf } from '#server/core/zone.ts';
import { regionPath } from '#server/regions/regions.store.ts';
import { keyOf, type View } from './alarms.ts';
import { type EnergyFigures, energyOfProjects } from './energy.ts';

type Census = ReplyOf<typeof dashboardEndpoints.census>;
type Places = ReplyOf<typeof dashboardEndpoints.places>;
type Details = ReplyOf<typeof dashboardEndpoints.placeDetails>;

/** Reads every line of the scope, so that simultaneous users share one query. */
const load: Keep = { freshMs: 5000, shownMs: 20_000 };
const map: Keep = { freshMs: 2000, shownMs: 10_000 };

export const powerOf = sql`case devices.type ${sql.join(
  deviceTypes.map((type) => {
    const index = lineChannels[type].findIndex((name) => name === 'P.t' || name === 'out.P.t');
    return sql`when ${sql.lit(type)} then latest.channels[${sql.lit(index + 1)}]`;
  }),
  sql` `,
)} end`;

/**
 * Whether a line counts for the present load of what the caller sees: an incoming line in place of the lines that it
 * supplies. The load of devices without a project is that of no site.
 */
export const countedIn = (scope: Scope): RawBuilder<unknown> =>
  sql`(devices.project_id is not null and case when ${inScope(ofWhole(scope), 'devices.project_id', 'devices.part_id')}
    then ${sql.raw(countsInProjectNow('devices.project_id', 'lines'))} else e.in_parts end)`;
const ofWhole = (scope: Scope): Scope => (scope.all ? scope : { ...scope, partIds: [] });

const one = <Row>(rows: readonly Row[]): Row => rows[0]!;

type LineFigures = Pick<Census, 'lines' | 'load_w' | Exclude<keyof typeof counts, 'position_at'>> & {
  position_at: Date | null;
};
/** Lines, load of the reporting lines, and energy of today and yesterday in each site's own zone. */
const lineFigures = async (view: View) => {
  const { db, scope, now } = view;
  const mine = sql`${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}`;
  const [lines, energy] = await Promise.all([
    sql<LineFigures>`
      select count(*) as lines, ${positionCounts(now)},
        sum(${powerOf}) filter (where ${freshSql('latest.at', now)} and ${countedIn(scope)}) as load_w
      from lines join energy_lines e on e.line_id = lines.id join devices on devices.id = lines.device_id
      left join line_latest latest on latest.line_id = lines.id
      where lines.n > 0 and ${mine}`.execute(db),
    energyOfProjects(view),
  ]);
  const { position_at, ...figures } = one(lines.rows);
  const sumOf = (of: keyof EnergyFigures) => sumKnown([...energy.values()].map((each) => each[of]));
  return {
    ...figures,
    position_at: position_at?.toISOString() ?? null,
    energy_today_kwh: sumOf('energy_today_kwh'),
    energy_yesterday_kwh: sumOf('energy_yesterday_kwh'),
  };
};

type DeviceFigures = Pick<Census, 'devices' | 'devices_bound' | 'devices_online'>;
export const census = async (view: View): Promise<Census> => {
  const { db, scope, now, remembered } = view;
  const mine = alarmsInScope(scope);
  const waiting = sql`shown_alarms(${new Date(now)}) a`;
  const month = startOf('month', now, view.zone);
  const [figures, projects, devices, unprocessed, active, raised] = await Promise.all([
    remembered(keyOf(view, 'lines'), load, now, () => lineFigures(view)),
    sql<{ projects: number }>`
      select count(*) as projects from projects where ${notDeleted('projects')} and ${projectInScope(scope, 'projects.id')}`.execute(
      db,
    ),
    scope.all
      ? sql<DeviceFigures>`
          select count(*) as devices, count(project_id) as devices_bound,
            (select count(*) from device_state state join devices on devices.id = state.device_id
              where state.online and ${notDeleted('devices')} and devices.project_id is not null) as devices_online
          from devices where ${notDeleted('devices')}`.execute(db)
      : sql<DeviceFigures>`
          select count(*) as devices, count(*) as devices_bound, count(*) filter (where state.online) as devices_online
          from devices left join device_state state on state.device_id = devices.id
          where ${notDeleted('devices')} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}`.execute(
          db,
        ),
    sql<{ alarms: number; early_warnings: number }>`
      select count(*) filter (where level = 2) as alarms, count(*) filter (where level = 1) as early_warnings
      from ${waiting} where handled_at is null and ${mine}`.execute(db),
    sql<{ active: number }>`
      select count(*) as active from ${waiting} where cleared_at is null and ${mine}`.execute(db),
    sql<{ raised: number; processed: number }>`
      select count(*) as raised, count(handled_at) as processed
      from counted_alarms() a where raised_at >= ${month} and ${mine}`.execute(db),
  ]);
  const { alarms, early_warnings } = one(unprocessed.rows);
  const state = one(devices.rows);
  const inMonth = one(raised.rows);
  return {
    ...one(projects.rows),
    ...state,
    ...figures,
    ...one(active.rows),
    online_rate: shareOf(state.devices_online, state.devices_bound),
    unprocessed: alarms + early_warnings,
    unprocessed_alarms: alarms,
    unprocessed_early_warnings: early_warnings,
    month_from: month.toISOString(),
    month_raised: inMonth.raised,
    month_processed: inMonth.processed,
    month_handling_rate: shareOf(inMonth.processed, inMonth.raised),
  };
};

export type Place = Omit<Details['list'][number], 'region'> & {
  lat: number;
  lng: number;
  /** The names of its region, the province first. */
  path: [province: NamedRegion, ...NamedRegion[]];
};
/** Every project of the scope with its position and worst state. */
export const places = (view: View): Promise<readonly Place[]> =>
  view.remembered(keyOf(view, 'places'), map, view.now, async () => {
    const { rows } = await sql<Place>`
      select projects.id as project_id, projects.name, projects.kind, projects.lat, projects.lng,
        ${regionPath('regions.path')} as path, coalesce(held.devices, 0) as devices, coalesce(held.online, 0) as online,
        coalesce(alarm_counts.unprocessed, 0) as unprocessed, coalesce(alarm_counts.active, 0) as active,
        coalesce(alarm_counts.worst, 0) as worst
      from projects join regions on regions.id = projects.region_id
      left join (
        select project_id, count(*) as devices, count(*) filter (where state.online) as online
        from devices left join device_state state on state.device_id = devices.id
        where ${inScope(view.scope, 'devices.project_id', 'devices.part_id')} group by project_id
      ) held on held.project_id = projects.id
      left join (
        select project_id, count(*) as unprocessed, max(level) filter (where cleared_at is null) as worst,
          count(*) filter (where cleared_at is null) as active
        from shown_alarms(${new Date(view.now)}) a
        where handled_at is null and ${alarmsInScope(view.scope)} group by project_id
      ) alarm_counts on alarm_counts.project_id = projects.id
      where ${notDeleted('projects')} and ${projectInScope(view.scope, 'projects.id')}
      order by projects.id`.execute(view.db);
    return rows;
  });
/** A metre. */
const onMap = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
export const placesReply = async (view: View): Promise<Places> => ({
  list: (await places(view)).map(({ project_id, name, lat, lng, path, worst }) => ({
    project_id,
    name,
    lat: onMap(lat),
    lng: onMap(lng),
    province_id: path[0].id,
    worst,
  })),
});
/** Details of the given projects, as far as they are in the scope, in the reader's language. */
export const placeDetails = async (
  view: View,
  projectIds: readonly number[],
  language: Language,
): Promise<Details> => {
  const wanted = new Set(projectIds);
  return {
    list: (await places(view))
      .filter(({ project_id }) => wanted.has(project_id))
      .map(({ path, lat: _lat, lng: _lng, ...place }) => ({
        ...place,
        region: regionPathText(path, language),
      })),
  };
};
