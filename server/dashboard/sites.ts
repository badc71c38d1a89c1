import { sql } from 'kysely';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { regionName, regionPathText } from '#contract/region-names.ts';
import { freshSql } from '#server/core/fresh-report.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { holds, inScope } from '#server/core/scope.ts';
import type { View } from './alarms.ts';
import { energyOfProjects } from './energy.ts';
import { countedIn, type Place, places, powerOf } from './estate.ts';

type Sites = ReplyOf<typeof dashboardEndpoints.sites>;

const offlineOf = ({ devices, online }: Place): number => devices - online;
/** Order of sites: by the worst active alarm, then unprocessed alarms, then offline devices. */
const byNeed = (one: Place, other: Place): number =>
  other.worst - one.worst ||
  other.unprocessed - one.unprocessed ||
  offlineOf(other) - offlineOf(one) ||
  one.project_id - other.project_id;

const regionsOf = (list: readonly Place[], language: Language): Sites['regions'] =>
  [...Map.groupBy(list, ({ path: [province] }) => province.id)]
    .map(([region_id, of]) => ({
      region_id,
      name: regionName(of[0]!.path[0], language),
      projects: of.length,
      unprocessed: of.reduce((sum, { unprocessed }) => sum + unprocessed, 0),
      worst: Math.max(...of.map(({ worst }) => worst)),
    }))
    .sort(
      (one, other) =>
        other.worst - one.worst || other.unprocessed - one.unprocessed || one.region_id - other.region_id,
    );

/** Load of the reporting lines of each site; a site without a report has none. */
const loadOf = async ({ db, scope, now }: View, ids: readonly number[]) => {
  const { rows } = await sql<{ project_id: number; load_w: number | null }>`
    select devices.project_id, sum(${powerOf}) as load_w
    from devices join lines on lines.device_id = devices.id join energy_lines e on e.line_id = lines.id
    join line_latest latest on latest.line_id = lines.id
    where lines.n > 0 and ${freshSql('latest.at', now)} and ${countedIn(scope)}
      and devices.project_id = any(${[...ids]}::int[]) and ${notDeleted('devices')}
      and ${inScope(scope, 'devices.project_id', 'devices.part_id')}
    group by 1`.execute(db);
  return new Map(rows.map((row) => [row.project_id, row.load_w]));
};

/**
 * Power that each site may take, kW. A user who sees only parts of a site gets no comparison, because only part
 * of the load is visible.
 */
const contractsOf = async (
  { db, scope }: View,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number | null>> => {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'contract_kw'])
    .where('id', '=', (row) => row.fn.any(row.val([...ids])))
    .execute();
  return new Map(rows.map(({ id, contract_kw }) => [id, holds(scope, id, null) ? contract_kw : null]));
};

type Site = Sites['list'][number];
const byFigure = {
  load: ({ load_w }: Site) => load_w,
  energy: ({ energy_today_kwh }: Site) => energy_today_kwh,
};
const ordered = (rows: Site[], order: BodyOf<typeof dashboardEndpoints.sites>['order']): Site[] => {
  if (order === 'urgency') return rows;
  const figure = byFigure[order];
  const largestFirst = (one: number | null, other: number | null): number =>
    one === null || other === null ? Number(one === null) - Number(other === null) : other - one;
  return rows.toSorted(
    (one, other) => largestFirst(figure(one), figure(other)) || one.project_id - other.project_id,
  );
};
const unknown = { energy_today_kwh: null, energy_same_time_kwh: null };
export const sites = async (
  view: View,
  { region_id, order, limit }: BodyOf<typeof dashboardEndpoints.sites>,
  language: Language,
): Promise<Sites> => {
  const list = await places(view);
  const within = list.filter(({ path }) => region_id === undefined || path[0].id === region_id);
  // Only an order by figures needs the figures of every site.
  const measuredPlaces = order === 'urgency' ? within.toSorted(byNeed).slice(0, limit) : within;
  const ids = measuredPlaces.map(({ project_id }) => project_id);
  const [load, energy, contracts] = await Promise.all([
    loadOf(view, ids),
    energyOfProjects(view, ids),
    contractsOf(view, ids),
  ]);
  const rows = measuredPlaces.map((place) => ({
    project_id: place.project_id,
    name: place.name,
    region: regionPathText(place.path, language),
    worst: place.worst,
    unprocessed: place.unprocessed,
    active: place.active,
    devices: place.devices,
    offline: offlineOf(place),
    load_w: load.get(place.project_id) ?? null,
    contract_kw: contracts.get(place.project_id) ?? null,
    ...(energy.get(place.project_id) ?? unknown),
  }));
  return {
    regions: regionsOf(list, language),
    total: within.length,
    list: ordered(rows, order).slice(0, limit),
  };
};
