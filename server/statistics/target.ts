import { type RawBuilder, sql } from 'kysely';
import type { TargetKind } from '#contract/statistics.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { seenFrom } from '#server/core/ownership.ts';
import { ratedPowerSql } from '#server/core/rated-power.ts';
import { inScope, projectInScope, type Scope } from '#server/core/scope.ts';
import { defaultZone } from '#server/core/zone.ts';
import type { Span } from './range.ts';

interface Named {
  kind: TargetKind;
  id: number;
  name: string;
}
/** A line that counts towards the target, and the period in which it counts. */
export interface MeteredLine {
  line_id: number;
  name: string;
  device_id: number;
  device_name: string;
  part_id: number | null;
  part_name: string | null;
  supplies: 'device' | 'project' | null;
  type: number;
  interval_seconds: number;
  rated_current: number | null;
  /** Rated power of the line, W. */
  rated_w: number;
  proven_kw: number | null;
  since: number;
  until: number;
  /** Time of its first figures; null: there are none. */
  data_from: number | null;
  /** The zone in which its days are cut: that of the present project of the device. */
  zone: string;
  /** The device has another owner now, so the screen does not name it. */
  left: boolean;
}
export interface Target extends Named {
  project_id: number | null;
  zone: string;
  path: Named[];
  /** The lines that add up to its energy. */
  lines: MeteredLine[];
  /** Lines that an incoming line includes, and the incoming lines themselves. */
  supplied: { incoming: MeteredLine[]; lines: MeteredLine[] } | null;
  /** The parts of the project that the caller sees; null: the whole project. */
  partIds: number[] | null;
  rebuilding: boolean;
}
interface About {
  project_id?: number | undefined;
  part_id?: number | undefined;
  device_id?: number | undefined;
  line_id?: number | undefined;
}
export const forever = Date.parse('2200-01-01T00:00:00Z');

interface StoredLine extends Omit<MeteredLine, 'since' | 'until' | 'data_from'> {
  in_parts: boolean;
  incoming: boolean;
  since: Date;
  until: Date | null;
  data_from: Date | null;
}
type MeteredLineRow = MeteredLine & { in_parts: boolean; incoming: boolean };

/** Lines in the times of `own`; `left`: the device is now out of the caller's sight. */
const linesOf = async (
  db: Db,
  { own, where, left }: Record<'own' | 'where' | 'left', RawBuilder<unknown>>,
): Promise<MeteredLineRow[]> => {
  const { rows } = await sql<StoredLine>`
    select own.line_id, case when l.name = '' then '#' || l.n else l.name end as name, own.device_id,
      case when devices.name = '' then devices.number else devices.name end as device_name, own.part_id,
      parts.name as part_name, l.supplies, devices.type, devices.interval_seconds, l.rated_current, own.in_parts,
      own.incoming, capacity.max_kw as proven_kw, ${sql.raw(ratedPowerSql)} as rated_w, own.since,
      nullif(own.until, 'infinity') as until, first.data_from, ${left} as left,
      coalesce(present.time_zone, ${defaultZone}) as zone
    from (${own}) own join lines l on l.id = own.line_id join devices on devices.id = own.device_id
    left join projects p on p.id = own.project_id left join projects present on present.id = devices.project_id
    left join project_parts parts on parts.id = own.part_id
    left join line_capacity capacity on capacity.line_id = own.line_id
    left join lateral (select coalesce(r.first_at, (select q.bucket from rollup_quarter q
        where q.line_id = r.line_id and q.bucket >= r.bucket and q.samples > 0 order by q.bucket limit 1), r.bucket)
        as data_from
      from rollup_day r where r.line_id = own.line_id order by r.bucket limit 1) first on true
    where ${where}
    order by own.line_id, own.since`.execute(db);
  return rows.map((row) => ({
    ...row,
    since: row.since.getTime(),
    until: row.until?.getTime() ?? forever,
    data_from: row.data_from?.getTime() ?? null,
  }));
};
/**
 * Lines of a device in each time in which an owner in the scope had it, since the last one outside the scope; for
 * the scope of all projects in all times, with those in which nobody had it.
 */
const ownLines = (db: Db, scope: Scope, where: RawBuilder<unknown>): Promise<MeteredLineRow[]> =>
  linesOf(db, {
    own: scope.all
      ? sql`select e.line_id, e.device_id, e.project_id, e.part_id, 'epoch'::timestamptz as since,
          'infinity'::timestamptz as until, one.supplies is not distinct from 'project' as incoming, e.in_parts
        from energy_lines e join lines one on one.id = e.line_id where ${where}`
      : sql`select e.* from metered_times e
        where ${where} and ${inScope(scope, 'e.project_id', 'e.part_id')} and e.since >= ${seenFrom(scope, 'e.device_id')}`,
    where: sql`true`,
    left: sql`false`,
  });
/**
 * Lines of the devices that a project or part has or had: one row for each time in which it had the device.
 * A device that now belongs to another owner, and is hidden from the caller, is given without its name.
 */
const everLines = (
  db: Db,
  scope: Scope,
  projectId: number,
  partId: number | null,
): Promise<MeteredLineRow[]> =>
  linesOf(db, {
    own: sql`select * from metered_times where project_id = ${projectId}`,
    // The incoming lines of a project concern the figures of the whole project only.
    where: sql`${partId === null ? sql`true` : sql`own.part_id = ${partId}`} and ${inScope(scope, 'own.project_id', 'own.part_id')}`,
    left: sql`(devices.project_id = ${projectId} and ${inScope(scope, 'devices.project_id', 'devices.part_id')}) is not true`,
  });

const narrowest = (about: About): TargetKind =>
  about.line_id !== undefined
    ? 'line'
    : about.device_id !== undefined
      ? 'device'
      : about.part_id !== undefined
        ? 'part'
        : about.project_id !== undefined
          ? 'project'
          : fault('request.invalid', { fields: { project_id: 'statistics.target' } });

interface Place {
  project_id: number | null;
  project_name: string | null;
  time_zone: string | null;
  part_id: number | null;
  part_name: string | null;
  device_id: number | null;
  device_name: string | null;
  line_id: number | null;
  line_name: string | null;
}
/** The requested target with the levels above it; all given ids must match. */
const placeOf = async (db: Db, scope: Scope, about: About, kind: TargetKind): Promise<Place> => {
  const fits = (column: string, value: number | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const { rows } =
    kind === 'project' || kind === 'part'
      ? await sql<Place>`
          select p.id as project_id, p.name as project_name, p.time_zone, parts.id as part_id, parts.name as part_name,
            null as device_id, null as device_name, null as line_id, null as line_name
          from projects p left join project_parts parts on parts.project_id = p.id and ${fits('parts.id', about.part_id ?? -1)}
          where ${notDeleted('p')} and ${fits('p.id', about.project_id)}
            and ${kind === 'part' ? sql`parts.id is not null and ${inScope(scope, 'p.id', 'parts.id')}` : projectInScope(scope, 'p.id')}
          limit 1`.execute(db)
      : await sql<Place>`
          select p.id as project_id, p.name as project_name, p.time_zone, parts.id as part_id, parts.name as part_name,
            d.id as device_id, case when d.name = '' then d.number else d.name end as device_name, l.id as line_id,
            case when l.name = '' then '#' || l.n else l.name end as line_name
          from devices d left join projects p on p.id = d.project_id left join project_parts parts on parts.id = d.part_id
          left join lines l on l.device_id = d.id and l.n > 0 and ${fits('l.id', about.line_id ?? -1)}
          where ${notDeleted('d')} and ${fits('d.id', about.device_id)} and ${fits('d.project_id', about.project_id)}
            and ${fits('d.part_id', about.part_id)} and ${kind === 'line' ? sql`l.id is not null` : sql`true`}
            and ${inScope(scope, 'd.project_id', 'd.part_id')}
          limit 1`.execute(db);
  return rows[0] ?? fault('statistics.missing');
};

const condition = (kind: TargetKind, place: Place) => {
  switch (kind) {
    case 'project':
      return sql`e.project_id = ${place.project_id}`;
    case 'part':
      return sql`e.part_id = ${place.part_id}`;
    case 'device':
      return sql`e.device_id = ${place.device_id}`;
    case 'line':
      return sql`e.line_id = ${place.line_id}`;
  }
};

const seesWhole = (scope: Scope, projectId: number | null) =>
  scope.all || (projectId !== null && scope.projectIds.includes(projectId));

/** The rest of a line's time without these times, which do not overlap and are in order. */
const without = (line: MeteredLineRow, times: readonly Span[]): MeteredLineRow[] => {
  const rest: MeteredLineRow[] = [];
  let { since } = line;
  for (const { from, to } of times) {
    if (from > since && since < line.until) rest.push({ ...line, since, until: Math.min(from, line.until) });
    since = Math.max(since, to);
  }
  return since < line.until ? [...rest, { ...line, since }] : rest;
};
/** The times in which any of these lines counts, in order; they do not overlap. */
const timesOf = (lines: readonly MeteredLineRow[]): Span[] => {
  const times: Span[] = [];
  for (const { since, until } of lines.toSorted((a, b) => a.since - b.since)) {
    const last = times.at(-1);
    if (last && since <= last.to) last.to = Math.max(last.to, until);
    else times.push({ from: since, to: until });
  }
  return times;
};
/**
 * Which of the lines add up: in the times of a project's incoming line it alone, otherwise the lines of the
 * parts (`countsInProject`).
 */
const counting = (kind: TargetKind, whole: boolean, lines: readonly MeteredLineRow[]): MeteredLineRow[] => {
  if (kind === 'line') return [...lines];
  if (kind === 'project' && whole) {
    const incoming = lines.filter((line) => line.incoming);
    const times = timesOf(incoming);
    const others = lines.filter((line) => line.in_parts).flatMap((line) => without(line, times));
    return [...incoming, ...others];
  }
  if (kind !== 'device') return lines.filter((line) => line.in_parts);
  // A device whose only line supplies the project still has its own energy.
  return [...Map.groupBy(lines, ({ since }) => since).values()].flatMap((each) => {
    const counted = each.filter((line) => line.in_parts);
    return counted.length === 0 ? each : counted;
  });
};
const suppliedOf = (kind: TargetKind, lines: readonly MeteredLineRow[]): Target['supplied'] => {
  if (kind !== 'project' && kind !== 'device') return null;
  const incoming = lines.filter((line) => line.supplies === kind);
  if (incoming.length === 0) return null;
  const supplied =
    kind === 'project'
      ? lines.filter((line) => line.in_parts)
      : lines.filter((line) => line.supplies === null);
  const [metered] = timesOf(incoming);
  return {
    incoming,
    lines: supplied.map((line) => ({ ...line, since: Math.max(line.since, metered!.from) })),
  };
};

/**
 * The target of the figures, with the lines that add up to it. Throws `statistics.target`,
 * `statistics.missing`.
 */
export const targetOf = async (db: Db, scope: Scope, about: About): Promise<Target> => {
  const kind = narrowest(about);
  const place = await placeOf(db, scope, about, kind);
  const ofProject = kind === 'project' || kind === 'part';
  const [lines, rebuilding] = await Promise.all([
    ofProject
      ? everLines(db, scope, place.project_id!, kind === 'part' ? place.part_id : null)
      : ownLines(db, scope, condition(kind, place)),
    sql`select from rollup_rebuild r join energy_lines e on e.line_id = r.line_id
        where ${condition(kind, place)} limit 1`.execute(db),
  ]);
  const whole = seesWhole(scope, place.project_id);
  const chain: Named[] = [
    { kind: 'project' as const, id: place.project_id, name: place.project_name },
    { kind: 'part' as const, id: place.part_id, name: place.part_name },
    { kind: 'device' as const, id: place.device_id, name: place.device_name },
    { kind: 'line' as const, id: place.line_id, name: place.line_name },
  ].flatMap(({ id, name, ...rest }) => (id === null ? [] : [{ ...rest, id, name: name ?? '' }]));
  const self = chain.find((each) => each.kind === kind)!;
  return {
    ...self,
    project_id: place.project_id,
    zone: place.time_zone ?? defaultZone,
    path: chain.slice(0, chain.indexOf(self)),
    lines: counting(kind, whole, lines),
    supplied: suppliedOf(
      kind,
      lines.filter(({ until }) => until === forever),
    ),
    partIds: scope.all || whole ? null : [...scope.partIds],
    rebuilding: rebuilding.rows.length > 0,
  };
};
