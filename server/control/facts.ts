import { type Expression, type ExpressionBuilder, type NotNull, type SqlBool, sql } from 'kysely';
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db, Tables } from '#database/connect.ts';
import { activeInterlocks } from '#server/alarms/engine/interlocks.ts';
import { lastContact } from '#server/core/last-contact.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { positionOf } from '#server/core/position.ts';
import type { DeviceFacts, InFlight, LineFacts } from './control.guard.ts';
import { uninspectedLines } from './inspections.ts';
import { isLater, openStates, type Place } from './states.ts';

export interface Gathered {
  device: DeviceFacts;
  /** By n: line 0 is the device itself. */
  lines: readonly LineFacts[];
  inFlight: readonly (InFlight & { number: number; sent: boolean })[];
  /** The newest stored report of the lines; null: there is none. */
  newest: Place | null;
}
const hourMs = 3_600_000;
const newest = (...times: (Date | null)[]): number | null => {
  const known = times.filter((at) => at !== null).map((at) => at.getTime());
  return known.length > 0 ? Math.max(...known) : null;
};

const among = (column: string, ids: readonly number[]): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} = any(${ids}::int[])`;
const grouped = <Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> => {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
};

/** The lines of devices: all of them, or line 0 and those of `lineIds`. */
const linesAsked = (db: Db, deviceIds: readonly number[], lineIds: readonly number[] | undefined) => {
  const query = db.selectFrom('lines').where(among('device_id', deviceIds)).orderBy('id');
  return lineIds ? query.where((eb) => eb.or([eb('n', '=', 0), among('id', lineIds)])) : query;
};

/**
 * Locks the rows of the devices and lines until the transaction ends, each kind in the order of ids: the next
 * decision about them sees what this one wrote. Setting a lock-out tag, disabling remote control, unbinding,
 * and a message group that raises an alarm take the same locks.
 */
export const holdDirectory = async (
  db: Db,
  deviceIds: readonly number[],
  lineIds?: readonly number[],
): Promise<void> => {
  await db
    .selectFrom('devices')
    .select('id')
    .where(among('id', deviceIds))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await linesAsked(db, deviceIds, lineIds).select('id').forNoKeyUpdate().execute();
};

/**
 * Locks the lines' reports and the devices' presence until the transaction ends; call it after
 * `holdDirectory`.
 */
export const holdReports = async (
  db: Db,
  deviceIds: readonly number[],
  lineIds?: readonly number[],
): Promise<void> => {
  await db
    .selectFrom('line_latest')
    .select('line_id')
    .where('line_id', 'in', linesAsked(db, deviceIds, lineIds).clearOrderBy().select('id'))
    .orderBy('line_id')
    .forShare()
    .execute();
  await db
    .selectFrom('device_state')
    .select('device_id')
    .where(among('device_id', deviceIds))
    .orderBy('device_id')
    .forShare()
    .execute();
};

/** Commanded operations of each line, without those of the commands in `besides`. */
const operationsSince = async (
  db: Db,
  lineIds: readonly number[],
  since: Date,
  besides: readonly string[],
) => {
  const rows = await db
    .selectFrom('commands')
    .select((eb) => ['line_id', eb.fn.countAll<number>().as('count'), eb.fn.max('sent_at').as('last')])
    .where(among('line_id', lineIds))
    .where('verb', 'in', ['open', 'close'])
    .where('created_at', '>', since)
    .where('sent_at', 'is not', null)
    .where(sql<boolean>`id <> all(${besides}::uuid[])`)
    .where(movedContacts)
    .groupBy('line_id')
    .execute();
  return new Map(rows.map((row) => [row.line_id, row]));
};
/** Moves of each line that no command caused. */
const movesSince = async (db: Db, lineIds: readonly number[], since: Date) => {
  const rows = await db
    .selectFrom('position_events')
    .select((eb) => ['line_id', eb.fn.countAll<number>().as('count'), eb.fn.max('at').as('last')])
    .where(among('line_id', lineIds))
    .where('cause', '<>', 'cmd')
    .where('at', '>', since)
    .groupBy('line_id')
    .execute();
  return new Map(rows.map((row) => [row.line_id, row]));
};

/**
 * All facts for the guard, about any number of devices and all their lines (or line 0 and those of
 * `lineIds`), in a fixed number of queries. `besides`: commands that do not count as operations. Unknown
 * devices are left out.
 */
export const gatherFacts = async (
  db: Db,
  ask: {
    deviceIds: readonly number[];
    lineIds?: readonly number[];
    now: number;
    besides?: readonly string[];
  },
): Promise<ReadonlyMap<number, Gathered>> => {
  const { now, lineIds, besides = [] } = ask;
  const asked = [...new Set(ask.deviceIds)];
  const devices = await deviceFacts(db, asked);
  if (devices.length === 0) return new Map();
  const lines = await linesAsked(db, asked, lineIds).selectAll().execute();
  const ids = lines.map((line) => line.id);
  const thresholds = new Map(
    (
      await db
        .selectFrom('effective_thresholds')
        .select(['line_id', 'thresholds'])
        .where(among('line_id', ids))
        .execute()
    ).map((row) => [row.line_id, row.thresholds]),
  );
  const hourAgo = new Date(now - hourMs);
  const latest = new Map(
    (await db.selectFrom('line_latest').selectAll().where(among('line_id', ids)).execute()).map((row) => [
      row.line_id,
      row,
    ]),
  );
  const alarms = grouped(await activeOfLevelTwo(db, ids), (row) => row.line_id);
  const uninspected = await uninspectedLines(db, ids);
  const conditions = grouped(await activeInterlocks(db, ids), (row) => row.lineId);
  const tags = grouped(await tagsOver(db, asked), (tag) => tag.device_id);
  const operations = await operationsSince(db, ids, hourAgo, besides);
  const moves = await movesSince(db, ids, hourAgo);
  const inFlight = grouped(
    await db
      .selectFrom('commands')
      .select(['id', 'device_id', 'line_id', 'verb', 'operator', 'number', 'sent_at'])
      .where(among('device_id', asked))
      .where('state', 'in', openStates)
      .orderBy('number')
      .execute(),
    (row) => row.device_id,
  );
  const linesOf = grouped(lines, (line) => line.device_id);
  const gather = (device: DeviceFacts): Gathered => {
    const own = [...(linesOf.get(device.id) ?? [])].sort((a, b) => a.n - b.n);
    const deviceLine = own.find((line) => line.n === 0)?.id;
    return {
      device,
      inFlight: (inFlight.get(device.id) ?? []).map((row) => ({
        id: row.id,
        lineId: row.line_id,
        verb: row.verb,
        operator: row.operator,
        number: row.number,
        sent: row.sent_at !== null,
      })),
      newest: newestOf(own.flatMap(({ id }) => latest.get(id) ?? [])),
      lines: own.map((line): LineFacts => {
        const seen = latest.get(line.id);
        const sent = operations.get(line.id);
        const moved = moves.get(line.id);
        const places = deviceLine === undefined || deviceLine === line.id ? [line.id] : [line.id, deviceLine];
        return {
          id: line.id,
          n: line.n,
          name: line.name,
          ratedCurrent: line.rated_current,
          poles: line.poles,
          switchable: line.switchable,
          critical: line.critical,
          thresholds: thresholds.get(line.id) ?? {},
          latest: seen
            ? {
                at: seen.at.getTime(),
                boot: seen.boot,
                seq: seen.seq,
                position: positionOf(seen.position),
                positionAt: timeOf(seen.position_at, seen.position_boot),
                trip: seen.trip,
                tripAt: timeOf(seen.trip_at, seen.trip_boot),
                lock: seen.lock,
                lockAt: timeOf(seen.lock_at, seen.lock_boot),
                channels: seen.channels,
              }
            : null,
          alarms: places.flatMap((id) =>
            [...(alarms.get(id) ?? []), ...(conditions.get(id) ?? [])].map((row) => row.code),
          ),
          tags: (tags.get(device.id) ?? [])
            .filter((tag) => tag.line_id === null || tag.line_id === line.id)
            .map((row) => ({ reason: row.reason, owner: row.username })),
          uninspected: uninspected.has(line.id),
          lastOperationAt: newest(sent?.last ?? null, moved?.last ?? null),
          operationsLastHour: (sent?.count ?? 0) + (moved?.count ?? 0),
        };
      }),
    };
  };
  return new Map(devices.map((device) => [device.id, gather(device)]));
};

const activeOfLevelTwo = (db: Db, lineIds: readonly number[]) =>
  db
    .selectFrom('alarms')
    .select(['line_id', 'code'])
    .where(among('line_id', lineIds))
    .where('cleared_at', 'is', null)
    .where('level', '=', 2)
    .execute();

/**
 * When the present equipment reported a fact; null: it did not. What ranks below boot 0 was reported before the
 * device's order began anew, perhaps by other equipment: it still forbids, and permits nothing.
 */
const timeOf = (at: Date | null, boot: number | null): number | null =>
  at === null || (boot ?? 0) < 0 ? null : at.getTime();

/** Rows below boot 0 belong to a device whose boot counter began again. */
const newestOf = (reports: readonly Place[]): Place | null =>
  reports
    .filter(({ boot }) => boot >= 0)
    .reduce<Place | null>((newest, { boot, seq }) => {
      const place = { boot, seq };
      return newest === null || isLater(place, newest) ? place : newest;
    }, null);

/** A command that failed moved nothing, unless an open superseded it. */
const movedContacts = (eb: ExpressionBuilder<Tables, 'commands'>) =>
  eb.or([eb('state', '<>', 'failed'), eb('reason', '=', 'superseded')]);

/** Lock-out tags on the devices, or on one of their lines (`line_id`). */
export const tagsOver = (db: Db, deviceIds: readonly number[]) =>
  db
    .selectFrom('active_tags as tag')
    .innerJoin('users', 'users.id', 'tag.owner_id')
    .select(['tag.tag_id', 'tag.device_id', 'tag.line_id', 'tag.reason', 'users.username'])
    .where(among('tag.device_id', deviceIds))
    .orderBy('tag.tag_id')
    .$narrowType<{ device_id: NotNull }>()
    .execute();

const deviceFacts = async (db: Db, ids: readonly number[]): Promise<DeviceFacts[]> => {
  const rows = await db
    .selectFrom('devices')
    .leftJoin('device_state', 'device_state.device_id', 'devices.id')
    .leftJoin('projects', (join) =>
      join.onRef('projects.id', '=', 'devices.project_id').on(notDeleted('projects')),
    )
    .select([
      'devices.id',
      'devices.number',
      'devices.type',
      'devices.caps',
      'projects.id as project_id',
      'devices.part_id',
      'devices.net_ctrl',
      'devices.interval_seconds',
      'device_state.online',
      'device_state.clock_ms',
      'device_state.clock_behind_ms',
      'device_state.clock_unknown',
      'device_state.clock_awaited',
      'projects.nominal_voltage',
    ])
    .select(lastContact('device_state').as('last_seen'))
    .where(among('devices.id', ids))
    .where(notDeleted('devices'))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    type: row.type as DeviceType,
    caps: row.caps,
    projectId: row.project_id,
    partId: row.part_id,
    netCtrl: row.net_ctrl,
    online: row.online ?? false,
    lastSeen: row.last_seen?.getTime() ?? null,
    uploadSeconds: row.interval_seconds,
    skewMs: row.clock_ms ?? 0,
    behindMs: row.clock_behind_ms ?? 0,
    clockUnknown: row.clock_unknown ?? false,
    clockAwaited: row.clock_awaited ?? false,
    nominalVoltage: row.nominal_voltage ?? usualNominalVoltage,
  }));
};
