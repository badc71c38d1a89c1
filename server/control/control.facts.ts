import { type ExpressionBuilder, sql } from 'kysely';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db, Tables } from '#database/connect.ts';
import type { LineRef } from '#server/core/group.ts';
import type { Position } from './control.evidence.ts';
import type { DeviceFacts, InFlight, LineFacts } from './control.guard.ts';
import { openStates } from './control.life.ts';

export interface Gathered {
  device: DeviceFacts;
  /** By n: line 0 is the device itself. */
  lines: readonly LineFacts[];
  inFlight: readonly InFlight[];
}
const hourMs = 3_600_000;
const newest = (...times: (Date | null)[]): number | null => {
  const known = times.filter((at) => at !== null).map((at) => at.getTime());
  return known.length > 0 ? Math.max(...known) : null;
};
export const positionOf = (position: number | null): Position | null =>
  position === 0 || position === 1 ? position : null;

/**
 * Everything the guard decides by, of one device and all or one of its lines. With `lock` the device's and the
 * lines' directory rows are held until the transaction ends: whoever decides next sees what this one wrote. Whoever
 * sets a lock-out tag takes the same locks on what the tag covers. Null when there is no such device.
 */
export const gatherFacts = async (
  db: Db,
  ask: { deviceId: number; lineId?: number | null; now: number; lock: boolean },
): Promise<Gathered | null> => {
  const { deviceId, now, lock } = ask;
  if (lock) await db.selectFrom('devices').select('id').where('id', '=', deviceId).forNoKeyUpdate().execute();
  const device = await deviceFacts(db, deviceId);
  if (!device) return null;
  let query = db.selectFrom('lines').selectAll().where('device_id', '=', deviceId).orderBy('n');
  if (ask.lineId !== undefined)
    query = query.where((eb) =>
      ask.lineId === null ? eb('n', '=', 0) : eb.or([eb('n', '=', 0), eb('id', '=', ask.lineId!)]),
    );
  const lines = await (lock ? query.forNoKeyUpdate() : query).execute();
  if (lines.length === 0) return { device, lines: [], inFlight: [] };
  const ids = lines.map((line) => line.id);
  const [latest, alarms, tags, operations, moves, inFlight] = [
    await db.selectFrom('line_latest').selectAll().where('line_id', 'in', ids).execute(),
    await db
      .selectFrom('alarms')
      .select(['line_id', 'code'])
      .where('line_id', 'in', ids)
      .where('cleared_at', 'is', null)
      .where('level', '=', 2)
      .execute(),
    await standingTags(db, { lineIds: ids, device }),
    await db
      .selectFrom('commands')
      .select((eb) => ['line_id', eb.fn.countAll<number>().as('count'), eb.fn.max('sent_at').as('last')])
      .where('line_id', 'in', ids)
      .where('verb', 'in', ['open', 'close'])
      .where('created_at', '>', new Date(now - hourMs))
      .where('sent_at', 'is not', null)
      .where(movedContacts)
      .groupBy('line_id')
      .execute(),
    await db
      .selectFrom('position_events')
      .select((eb) => ['line_id', eb.fn.countAll<number>().as('count'), eb.fn.max('at').as('last')])
      .where('line_id', 'in', ids)
      .where('cause', '<>', 'cmd')
      .where('at', '>', new Date(now - hourMs))
      .groupBy('line_id')
      .execute(),
    await db
      .selectFrom('commands')
      .select(['id', 'line_id', 'verb', 'operator'])
      .where('device_id', '=', deviceId)
      .where('state', 'in', openStates)
      .orderBy('number')
      .execute(),
  ];
  const deviceLine = lines.find((line) => line.n === 0)?.id;
  return {
    device,
    inFlight: inFlight.map((row) => ({
      id: row.id,
      lineId: row.line_id,
      verb: row.verb,
      operator: row.operator,
    })),
    lines: lines.map((line): LineFacts => {
      const seen = latest.find((row) => row.line_id === line.id);
      const asked = operations.find((row) => row.line_id === line.id);
      const moved = moves.find((row) => row.line_id === line.id);
      return {
        id: line.id,
        n: line.n,
        name: line.name,
        ratedCurrent: line.rated_current,
        poles: line.poles,
        switchable: line.switchable,
        critical: line.critical,
        thresholds: line.thresholds,
        latest: seen
          ? {
              at: seen.at.getTime(),
              boot: seen.boot,
              seq: seen.seq,
              position: positionOf(seen.position),
              trip: seen.trip,
              lock: seen.lock,
              channels: seen.channels,
            }
          : null,
        alarms: alarms
          .filter((row) => row.line_id === line.id || row.line_id === deviceLine)
          .map((row) => row.code),
        tags: tags
          .filter((row) => row.line_id === null || row.line_id === line.id)
          .map((row) => ({ reason: row.reason, owner: row.username })),
        lastOperationAt: newest(asked?.last ?? null, moved?.last ?? null),
        operationsLastHour: (asked?.count ?? 0) + (moved?.count ?? 0),
      };
    }),
  };
};

/** A command that failed moved nothing, unless an open took its place. */
const movedContacts = (eb: ExpressionBuilder<Tables, 'commands'>) =>
  eb.or([eb('state', '<>', 'failed'), eb('reason', '=', 'superseded')]);

/** Lock-out tags on any of the lines, on their device or its project. */
export const standingTags = (
  db: Db,
  { lineIds, device }: { lineIds: readonly number[]; device: Pick<DeviceFacts, 'id' | 'projectId'> },
) =>
  db
    .selectFrom('lockout_tags')
    .innerJoin('users', 'users.id', 'lockout_tags.owner_id')
    .select(['lockout_tags.line_id', 'lockout_tags.reason', 'users.username'])
    .where('lockout_tags.removed_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('lockout_tags.line_id', 'in', lineIds),
        eb('lockout_tags.device_id', '=', device.id),
        eb('lockout_tags.project_id', '=', device.projectId),
      ]),
    )
    .orderBy('lockout_tags.id')
    .execute();

export const deviceFacts = async (db: Db, deviceId: number): Promise<DeviceFacts | null> => {
  const row = await db
    .selectFrom('devices')
    .leftJoin('device_state', 'device_state.device_id', 'devices.id')
    .leftJoin('projects', (join) =>
      join.onRef('projects.id', '=', 'devices.project_id').on('projects.deleted_at', 'is', null),
    )
    .select([
      'devices.id',
      'devices.number',
      'devices.type',
      'devices.caps',
      'projects.id as project_id',
      'devices.part_id',
      'devices.net_ctrl',
      'devices.upload_seconds',
      'device_state.online',
      'device_state.last_seen',
      'projects.nominal_voltage',
    ])
    .select((eb) =>
      eb
        .selectFrom('line_latest')
        .innerJoin('lines', 'lines.id', 'line_latest.line_id')
        .whereRef('lines.device_id', '=', 'devices.id')
        .select((inner) => inner.fn.max('line_latest.received_at').as('at'))
        .as('last_reading'),
    )
    .where('devices.id', '=', deviceId)
    .where('devices.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  return {
    id: row.id,
    number: row.number,
    type: row.type as DeviceType,
    caps: row.caps,
    projectId: row.project_id,
    partId: row.part_id,
    netCtrl: row.net_ctrl,
    online: row.online ?? false,
    // Readings are on disk at once, a mere sign of life only now and then.
    lastSeen: newest(row.last_seen, row.last_reading),
    uploadSeconds: row.upload_seconds,
    nominalVoltage: row.nominal_voltage ?? 220,
  };
};

/** The line as findings about it name it, and what its readings are understood by. */
export const lineRefOf = async (db: Db, lineId: number): Promise<(LineRef & { poles: number }) | null> => {
  const row = await db
    .selectFrom('lines')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .innerJoin('lines as device_line', (join) =>
      join.onRef('device_line.device_id', '=', 'devices.id').on('device_line.n', '=', 0),
    )
    .leftJoin('projects', 'projects.id', 'devices.project_id')
    .select([
      'lines.id as lineId',
      'devices.id as deviceId',
      'device_line.id as deviceLineId',
      'devices.number as deviceNumber',
      'lines.n',
      sql<DeviceType>`devices.type`.as('type'),
      'devices.project_id as projectId',
      'devices.part_id as partId',
      'lines.rated_current as ratedCurrent',
      'projects.nominal_voltage',
      'lines.thresholds',
      'devices.upload_seconds as uploadSeconds',
      'lines.poles',
    ])
    .where('lines.id', '=', lineId)
    .executeTakeFirst();
  if (!row) return null;
  const { nominal_voltage, ...line } = row;
  return { ...line, nominalVoltage: nominal_voltage ?? 220 };
};
