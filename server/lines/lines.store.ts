import { sql } from 'kysely';
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import { ratingFor } from '#contract/parameters.ts';
import { type DeviceType, lineChannels, positionCauses } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { lineLimits } from '#server/alarms/line-limits.ts';
import { openStates } from '#server/control/states.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { displayName } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { agesOf } from '#server/core/line-ages.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { noteIncoming, seenFrom } from '#server/core/ownership.ts';
import { stateOf } from '#server/core/position.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

type LineRow = ReplyOf<typeof lineEndpoints.detail>;

/** Stored channels by their names in the channel dictionary; never reported ones are left out. */
export const namedChannels = (type: DeviceType, channels: readonly (number | null)[]) =>
  Object.fromEntries(
    lineChannels[type].slice(0, channels.length).map((name, i) => [name, channels[i] ?? null]),
  );

const lines = (db: Db, scope: Scope) =>
  db
    .selectFrom('lines')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .innerJoin('effective_thresholds as effective', 'effective.line_id', 'lines.id')
    .leftJoin('line_latest as latest', 'latest.line_id', 'lines.id')
    .leftJoin('line_capacity as capacity', 'capacity.line_id', 'lines.id')
    .leftJoin('projects', 'projects.id', 'devices.project_id')
    .where('lines.n', '>', 0)
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
    .selectAll('lines')
    .select([
      'devices.type',
      'devices.project_id',
      'devices.interval_seconds',
      'projects.nominal_voltage',
      sql<string>`effective.thresholds::text`.as('effective_thresholds'),
      'capacity.max_kw',
      'latest.at',
      'latest.position',
      'latest.position_at',
      'latest.trip',
      'latest.lock',
      'latest.energy',
      'latest.channels',
      'latest.commanded',
      'latest.commanded_at',
      'latest.commanded_by',
      'latest.acknowledged',
      'latest.acknowledged_at',
    ])
    .select(seenFrom(scope, 'devices.id').as('seen_from'));
type StoredLine = Awaited<ReturnType<ReturnType<typeof lines>['execute']>>[number];

/** The line if its device is in the scope; throws `line.missing` for an unknown and for a foreign one. */
export const lineInScope = async (db: Db, scope: Scope, lineId: number): Promise<StoredLine> =>
  (await lines(db, scope).where('lines.id', '=', lineId).executeTakeFirst()) ?? fault('line.missing');

/** The lines of a device; throws `device.missing` for an unknown and for a foreign one. */
export const linesOfDevice = async (db: Db, scope: Scope, deviceId: number): Promise<StoredLine[]> => {
  const device = await db
    .selectFrom('devices')
    .select('id')
    .where('id', '=', deviceId)
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
    .executeTakeFirst();
  if (!device) fault('device.missing');
  return lines(db, scope).where('lines.device_id', '=', deviceId).orderBy('lines.n').execute();
};

export const lineStore = (db: Db) => ({
  async list(scope: Scope, deviceId: number, now: number): Promise<{ list: LineRow[] }> {
    return { list: await lineRows(db, scope, await linesOfDevice(db, scope, deviceId), now) };
  },

  async detail(scope: Scope, lineId: number, now: number): Promise<LineRow> {
    const [row] = await lineRows(db, scope, [await lineInScope(db, scope, lineId)], now);
    return row!;
  },
});

/**
 * A device sees a server timer as an ordinary command, so the name of the timer comes from the command's row.
 */
const switchedBy = ({ cause, asked_by }: { cause: string; asked_by: string | null }) =>
  cause === 'cmd' && asked_by === 'timer'
    ? 'timer'
    : (positionCauses.find((known) => known === cause) ?? null);

/** Adds tags, active alarms and commands in flight: one query each, for any number of lines. */
const lineRows = async (
  db: Db,
  scope: Scope,
  rows: readonly StoredLine[],
  now: number,
): Promise<LineRow[]> => {
  const first = rows[0];
  if (!first) return [];
  const ids = rows.map((row) => row.id);
  const [tags, alarms, commands, moves] = await Promise.all([
    db
      .selectFrom('active_tags as tag')
      .innerJoin('users', 'users.id', 'tag.owner_id')
      .selectAll('tag')
      .select(['users.username', 'users.nickname'])
      .where('tag.device_id', '=', first.device_id)
      .orderBy('tag.tag_id')
      .execute(),
    sql<{ id: number; line_id: number; code: number; level: number }>`
      select id, line_id, code, level from shown_alarms(${new Date(now)}) a
      where line_id = any(${ids}::int[]) and cleared_at is null and ${alarmsInScope(scope)}
      order by level desc, id desc`.execute(db),
    db
      .selectFrom('commands')
      .select(['id', 'line_id', 'verb', 'state', 'expires_at'])
      .where('line_id', 'in', ids)
      .where('state', 'in', openStates)
      .where('verb', 'in', ['open', 'close'])
      .execute(),
    db
      .selectFrom(sql<{ line_id: number }>`unnest(${ids}::integer[])`.as<'asked'>(sql`asked (line_id)`))
      .innerJoinLateral(
        (each) =>
          each
            .selectFrom('position_events as event')
            .leftJoin('commands as command', 'command.id', 'event.command_id')
            .select(['event.at', 'event.position', 'event.cause', 'command.cause as asked_by'])
            .whereRef('event.line_id', '=', 'asked.line_id')
            .orderBy('event.at', 'desc')
            .orderBy('event.boot', 'desc')
            .orderBy('event.seq', 'desc')
            .limit(1)
            .as('move'),
        (join) => join.onTrue(),
      )
      .select(['asked.line_id', 'move.at', 'move.position', 'move.cause', 'move.asked_by'])
      .execute(),
  ]);
  return rows.map((row) => {
    const pending = commands.find((command) => command.line_id === row.id);
    // A position without an event came with a reading: the time of the change is unknown.
    const moved = moves.find((move) => move.line_id === row.id && move.position === row.position);
    return {
      ...shown(row, now),
      switched_at: moved?.at.toISOString() ?? null,
      switched_by: moved ? switchedBy(moved) : null,
      pending: pending
        ? {
            command_id: pending.id,
            action: pending.verb,
            state: pending.state,
            expires_at: pending.expires_at.toISOString(),
          }
        : null,
      tags: tags
        .filter((tag) => tag.line_id === null || tag.line_id === row.id)
        .map((tag) => ({
          tag_id: tag.tag_id,
          on: tag.placed_on,
          reason: tag.reason,
          owner: displayName(tag),
          set_at: tag.set_at.toISOString(),
        })),
      alarms: alarms.rows
        .filter((alarm) => alarm.line_id === row.id)
        .map(({ id, code, level }) => ({ id, typeNumber: code, level })),
    };
  });
};

const proposedRating = ({ max_kw, nominal_voltage, poles, rated_current }: StoredLine): number | null => {
  if (max_kw === null) return null;
  const proposed = ratingFor(
    (1000 * max_kw) / ((poles >= 3 ? 3 : 1) * (nominal_voltage ?? usualNominalVoltage)),
  );
  return rated_current === null || proposed > rated_current ? proposed : null;
};

const shown = (row: StoredLine, now: number) => {
  const type = row.type as DeviceType;
  const channels = row.channels ?? [];
  const values = namedChannels(type, channels);
  return {
    line_id: row.id,
    device_id: row.device_id,
    n: row.n,
    name: row.name,
    alias: row.alias,
    model: row.model,
    rated_current: row.rated_current,
    proposed_rated_current: proposedRating(row),
    poles: row.poles,
    switchable: row.switchable,
    critical: row.critical,
    thresholds: row.thresholds,
    limits: lineLimits({ ...row, line_id: row.id, type, thresholds: row.effective_thresholds }),
    revision: row.revision,
    state: stateOf(row.position),
    ...agesOf(row, now),
    commanded: row.commanded === null ? null : stateOf(row.commanded),
    commanded_at: row.commanded_at?.toISOString() ?? null,
    commanded_by: row.commanded_at && row.commanded_at < row.seen_from ? null : row.commanded_by,
    acknowledged: row.acknowledged === null ? null : stateOf(row.acknowledged),
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    trip: row.trip,
    lock: row.lock,
    ...summaryOf(type, channels),
    energy: row.energy,
    temperatures: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        name.startsWith('T.') ? [[name.slice(2), value] as const] : [],
      ),
    ),
    values,
  };
};

/**
 * Sets what a line meters besides its own loads: the other lines of its device, the whole project, or
 * nothing.
 */
export const setSupplies = async (
  trx: Db,
  lineId: number,
  supplies: 'device' | 'project' | null,
): Promise<void> => {
  const { device_id } = await trx
    .updateTable('lines')
    .set({ supplies })
    .where('id', '=', lineId)
    .returning('device_id')
    .executeTakeFirstOrThrow();
  await noteIncoming(trx, device_id);
};

/**
 * Lines of devices that leave their project no longer supply it. Called in the transaction of the move, before it.
 */
export const leaveSupplied = async (
  trx: Db,
  deviceIds: readonly number[],
  to: number | null,
): Promise<void> => {
  await sql`
    update lines set supplies = null from devices d
    where d.id = lines.device_id and d.id = any(${[...deviceIds]}::int[]) and lines.supplies = 'project'
      and d.project_id is distinct from ${to}::int`.execute(trx);
};
