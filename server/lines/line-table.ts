import { type RawBuilder, sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import { closenessOf } from '#contract/limit-closeness.ts';
import {
  type LineTableRow,
  type LineTableSort,
  type lineTableEndpoints,
  mostLinesCompared,
} from '#contract/line-table.ts';
import type { LineLimits } from '#contract/lines.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { lineLimits } from '#server/alarms/line-limits.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { agesOf } from '#server/core/line-ages.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { stateOf } from '#server/core/position.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';

import { namedChannels } from './lines.store.ts';

type Filters = BodyOf<typeof lineTableEndpoints.exportTable>;
interface StoredLine {
  line_id: number;
  device_id: number;
  n: number;
  name: string;
  alias: string;
  model: string;
  rated_current: number | null;
  poles: number;
  switchable: boolean;
  critical: boolean;
  thresholds: string;
  device_number: string;
  device_name: string;
  type: DeviceType;
  interval_seconds: number;
  part_name: string;
  online: boolean;
  nominal_voltage: number | null;
  at: Date | null;
  position: number | null;
  position_at: Date | null;
  trip: number | null;
  lock: number | null;
  channels: (number | null)[] | null;
  tags: number;
  alarms: number;
  worst: number;
}

/**
 * The lines of a project that match the filters, as far as the caller sees them. Throws `project.missing`.
 */
export const linesOfProject = async (
  db: Db,
  scope: Scope,
  filters: Filters,
  now: number,
): Promise<{ rows: LineTableRow[]; truncated: boolean }> => {
  await mustSeeProject(db, scope, filters.project_id);
  const { rows: stored } = await storedLines(scope, filters, now).execute(db);
  const limitsOf = sharedLimits();
  const rows = stored.slice(0, mostLinesCompared).map((line) => rowOf(line, limitsOf(line), now));
  return { rows: rows.filter((row) => fits(row, filters)), truncated: stored.length > mostLinesCompared };
};

const storedLines = (
  scope: Scope,
  { project_id, device_id }: Filters,
  now: number,
): RawBuilder<StoredLine> => sql`
  with compared as (
    select lines.id as line_id, lines.device_id, lines.n, lines.name, lines.alias, lines.model, lines.rated_current,
      lines.poles, lines.switchable, lines.critical, devices.number as device_number, devices.name as device_name, devices.type,
      devices.interval_seconds, devices.part_id, devices.project_id
    from devices join lines on lines.device_id = devices.id and lines.n > 0
    where devices.project_id = ${project_id} and ${notDeleted('devices')}
      and ${inScope(scope, 'devices.project_id', 'devices.part_id')}
      ${device_id === undefined ? sql`` : sql`and devices.id = ${device_id}`}
    order by devices.number, lines.n
    limit ${mostLinesCompared + 1})
  select c.*, effective.thresholds::text as thresholds, coalesce(part.name, '') as part_name,
    coalesce(state.online, false) as online, project.nominal_voltage,
    latest.at, latest.position, latest.position_at, latest.trip, latest.lock, latest.channels,
    (select count(distinct tag.tag_id)::int from active_tags tag
      where tag.device_id = c.device_id and (tag.line_id is null or tag.line_id = c.line_id)) as tags,
    coalesce(active.alarms, 0)::int as alarms, coalesce(active.worst, 0) as worst
  from compared c
  join effective_thresholds effective on effective.line_id = c.line_id
  join projects project on project.id = c.project_id
  left join project_parts part on part.id = c.part_id
  left join device_state state on state.device_id = c.device_id
  left join line_latest latest on latest.line_id = c.line_id
  left join (
    select a.line_id, count(*) as alarms, max(a.level) as worst from shown_alarms(${new Date(now)}) a
    where a.line_id in (select line_id from compared) and a.cleared_at is null and ${alarmsInScope(scope)}
    group by a.line_id) active on active.line_id = c.line_id
  order by c.device_number, c.n`;

/** Limits of lines; lines with equal facts share them. */
const sharedLimits = () => {
  const known = new Map<string, Record<string, LineLimits>>();
  return (line: StoredLine): Record<string, LineLimits> => {
    const key = JSON.stringify([line.type, line.rated_current, line.poles, line.switchable, line.thresholds]);
    const limits = known.get(key) ?? lineLimits(line);
    known.set(key, limits);
    return limits;
  };
};

const closestOf = (
  values: Readonly<Record<string, number | null>>,
  limits: Readonly<Record<string, LineLimits>>,
  state: LineTableRow['state'],
): LineTableRow['closest'] => {
  let closest: LineTableRow['closest'] = null;
  for (const [channel, each] of Object.entries(limits)) {
    const value = values[channel];
    const found = value === null || value === undefined ? null : closenessOf(value, each, state);
    if (found && found.percent > (closest?.percent ?? Number.NEGATIVE_INFINITY))
      closest = { channel, value: value!, limits: each, ...found };
  }
  return closest;
};

const rowOf = (line: StoredLine, limits: Readonly<Record<string, LineLimits>>, now: number): LineTableRow => {
  const { type, channels, thresholds: _t, nominal_voltage: _n, poles: _p, at: _a, ...rest } = line;
  const { position, position_at: _o, ...shown } = rest;
  const values = namedChannels(type, channels ?? []);
  const { current, ...summary } = summaryOf(type, channels ?? []);
  const temperatures = Object.entries(values).flatMap(([channel, value]) =>
    channel.startsWith('T.') && value !== null ? [value] : [],
  );
  const state = stateOf(position);
  return {
    ...shown,
    device_type: type,
    ...agesOf(line, now),
    state,
    ...summary,
    current,
    share: current === null || !line.rated_current ? null : (100 * current) / line.rated_current,
    temperature: temperatures.length === 0 ? null : Math.max(...temperatures),
    closest: closestOf(values, limits, state),
  };
};

/** The position of a line in the counts: only with a switch, and proved by a fresh report. */
const countedState = ({ switchable, state, stale }: LineTableRow) =>
  !switchable ? 'meter' : stale ? 'unknown' : state;

const fits = (row: LineTableRow, { text, state, alarm, tripped, stale, tagged }: Filters): boolean => {
  const words = text?.toLowerCase();
  const named = [row.name, row.alias, row.model, row.device_name, row.device_number];
  const isOld = (row.switchable && row.stale) || row.values_stale;
  return (
    (words === undefined || named.some((name) => name.toLowerCase().includes(words))) &&
    (state === undefined || countedState(row) === state) &&
    (alarm === undefined || row.worst >= (alarm === 'alarm' ? 2 : 1)) &&
    (tripped === undefined || (row.switchable && (row.trip ?? 0) !== 0) === tripped) &&
    (stale === undefined || isOld === stale) &&
    (tagged === undefined || row.tags > 0 === tagged)
  );
};

const orders: Readonly<Record<LineTableSort, (row: LineTableRow) => number | string | null>> = {
  closeness: ({ closest }) => closest?.percent ?? null,
  device: ({ device_number }) => device_number,
  name: ({ name }) => name,
  current: ({ current }) => current,
  share: ({ share }) => share,
  power: ({ power }) => power,
  leakage: ({ leakage }) => leakage,
  temperature: ({ temperature }) => temperature,
  voltage: ({ voltage }) => voltage,
};
/**
 * Old values say nothing about now: they come after all fresh ones, and never measured ones last, in both
 * directions.
 */
const agedBy: ReadonlySet<LineTableSort> = new Set([
  'closeness',
  'current',
  'share',
  'power',
  'leakage',
  'temperature',
  'voltage',
]);

/** Rows in the requested order; equal rows by device number and line. */
export const orderedLines = (rows: readonly LineTableRow[], sort = '-closeness'): LineTableRow[] => {
  const field = sort.replace(/^-/, '') as LineTableSort;
  const sign = sort.startsWith('-') ? -1 : 1;
  const key = orders[field];
  const rankOf = (row: LineTableRow) =>
    key(row) === null ? 2 : agedBy.has(field) && row.values_stale ? 1 : 0;
  const compared = (a: number | string | null, b: number | string | null) =>
    a === b ? 0 : (a ?? '') < (b ?? '') ? -sign : sign;
  return rows.toSorted((a, b) => rankOf(a) - rankOf(b) || compared(key(a), key(b)));
};
