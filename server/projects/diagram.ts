import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { projectEndpoints } from '#contract/projects.ts';
import { mostInDiagram } from '#contract/projects.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { agesOf } from '#server/core/line-ages.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { stateOf } from '#server/core/position.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { holdManagedProject, mustSeeProject } from '#server/core/visible-project.ts';

type Diagram = ReplyOf<typeof projectEndpoints.diagram>;
type DiagramDevice = Diagram['devices'][number];
type DiagramLine = DiagramDevice['lines'][number];
interface StoredLine
  extends Omit<DiagramLine, 'state' | keyof ReturnType<typeof agesOf> | 'current' | 'power' | 'worst'> {
  device_id: number;
  type: number;
  interval_seconds: number;
  position: number | null;
  position_at: Date | null;
  at: Date | null;
  channels: (number | null)[] | null;
  worst: number | null;
}

/** A project's devices in the order of its diagram, as far as the caller sees them, with the live state of their lines. */
export const siteDiagram = async (db: Db, scope: Scope, projectId: number, now: number): Promise<Diagram> => {
  const project = await mustSeeProject(db, scope, projectId);
  const { rows: devices } = await sql<Omit<DiagramDevice, 'lines'>>`
    select devices.id as device_id, devices.number, devices.name, devices.type, devices.interval_seconds,
      coalesce(state.online, false) as online, coalesce(place.incoming, false) as incoming,
      coalesce(part.name, '') as part_name
    from devices left join device_state state on state.device_id = devices.id
    left join project_parts part on part.id = devices.part_id
    left join site_places place on place.device_id = devices.id and place.project_id = devices.project_id
    where devices.project_id = ${projectId} and ${notDeleted('devices')}
      and ${inScope(scope, 'devices.project_id', 'devices.part_id')}
    order by place.position nulls last, part.name nulls last, devices.id
    limit ${mostInDiagram + 1}`.execute(db);
  const shown = devices.slice(0, mostInDiagram);
  const { rows } = await sql<StoredLine>`
    select lines.id as line_id, lines.device_id, lines.n, lines.name, lines.rated_current, lines.switchable,
      lines.critical, devices.type, devices.interval_seconds, latest.position, latest.position_at, latest.at,
      latest.channels,
      (select max(level) from shown_alarms(${new Date(now)}) a where a.line_id = lines.id and cleared_at is null
        and handled_at is null and ${alarmsInScope(scope)}) as worst
    from lines join devices on devices.id = lines.device_id
    left join line_latest latest on latest.line_id = lines.id
    where lines.device_id = any(${shown.map(({ device_id }) => device_id)}::int[]) and lines.n > 0
    order by lines.device_id, lines.n`.execute(db);
  const byDevice = Map.groupBy(rows, ({ device_id }) => device_id);
  return {
    project_id: project.id,
    name: project.name,
    truncated: devices.length > mostInDiagram,
    devices: shown.map((device) => ({
      ...device,
      lines: (byDevice.get(device.device_id) ?? []).map((line) => lineOf(line, now)),
    })),
  };
};

const lineOf = (stored: StoredLine, now: number): DiagramLine => {
  const { device_id: _, type, interval_seconds: _i, position, position_at: _p, at: _a, ...rest } = stored;
  const { channels, worst, ...line } = rest;
  const { current, power } = summaryOf(type as DeviceType, channels ?? []);
  return {
    ...line,
    state: stateOf(position),
    ...agesOf(stored, now),
    current,
    power,
    worst: worst ?? 0,
  };
};

/** Stores the order of a project's diagram; devices that have left meanwhile are skipped. */
export const arrangeSite = async (
  trx: Db,
  scope: Scope,
  { project_id, devices }: BodyOf<typeof projectEndpoints.arrange>,
): Promise<void> => {
  await holdManagedProject(trx, scope, project_id);
  await trx.deleteFrom('site_places').where('project_id', '=', project_id).execute();
  await sql`
    insert into site_places (device_id, project_id, incoming, position)
    select devices.id, devices.project_id, given.incoming, min(given.position)
    from unnest(${devices.map(({ device_id }) => device_id)}::int[],
      ${devices.map(({ incoming }) => incoming)}::boolean[]) with ordinality as given (id, incoming, position)
    join devices on devices.id = given.id and devices.project_id = ${project_id} and ${notDeleted('devices')}
    group by devices.id, devices.project_id, given.incoming
    on conflict (device_id) do update
      set project_id = excluded.project_id, incoming = excluded.incoming, position = excluded.position`.execute(
    trx,
  );
};
