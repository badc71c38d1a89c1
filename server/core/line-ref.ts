import { sql } from 'kysely';
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { LineRef } from './group.ts';

type KnownLine = LineRef & { poles: number };

/** Lines in the link's form, from the database: for findings about them, and to interpret their readings. */
export const lineRefsOf = async (
  db: Db,
  lineIds: readonly number[],
): Promise<ReadonlyMap<number, KnownLine>> => {
  const rows = await db
    .selectFrom('lines')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .innerJoin('lines as device_line', (join) =>
      join.onRef('device_line.device_id', '=', 'devices.id').on('device_line.n', '=', 0),
    )
    .innerJoin('effective_thresholds as limit', 'limit.line_id', 'lines.id')
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
      'limit.thresholds',
      'devices.interval_seconds as uploadSeconds',
      'lines.poles',
      'lines.switchable',
      'projects.nominal_voltage',
    ])
    .where('lines.id', '=', sql<number>`any(${[...lineIds]}::int[])`)
    .execute();
  return new Map(
    rows.map(({ switchable, nominal_voltage, ...line }) => [
      line.lineId,
      {
        ...line,
        nominalVoltage: nominal_voltage ?? usualNominalVoltage,
        ...(switchable && { contacts: { poles: line.poles } }),
      },
    ]),
  );
};
export const lineRefOf = async (db: Db, lineId: number): Promise<KnownLine | null> =>
  (await lineRefsOf(db, [lineId])).get(lineId) ?? null;
