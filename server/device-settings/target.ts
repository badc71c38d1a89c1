import { usualNominalVoltage, usualRatedCurrent } from '#contract/alarm-catalogue.ts';
import type { Rating } from '#contract/parameters.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

export interface TargetLine {
  id: number;
  n: number;
  name: string;
  rated_current: number | null;
  poles: number;
}
/** The facts about a device that its settings need. */
export interface Target {
  id: number;
  number: string;
  type: DeviceType;
  projectId: number | null;
  partId: number | null;
  nominalVoltage: number;
  /** The lines without line 0, in the order of their numbers. */
  lines: TargetLine[];
  rating(line: TargetLine | undefined): Rating;
}

/** The devices in the scope, with their lines. */
export const targets = async (db: Db, scope: Scope, deviceIds: readonly number[]): Promise<Target[]> => {
  if (deviceIds.length === 0) return [];
  const devices = await db
    .selectFrom('devices')
    .leftJoin('projects', 'projects.id', 'devices.project_id')
    .select([
      'devices.id',
      'devices.number',
      'devices.type',
      'devices.project_id',
      'devices.part_id',
      'projects.nominal_voltage',
    ])
    .where('devices.id', 'in', deviceIds)
    .where(notDeleted('devices'))
    .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
    .execute();
  if (devices.length === 0) return [];
  const lines = await db
    .selectFrom('lines')
    .select(['id', 'device_id', 'n', 'name', 'rated_current', 'poles'])
    .where(
      'device_id',
      'in',
      devices.map((device) => device.id),
    )
    .where('n', '>', 0)
    .orderBy('device_id')
    .orderBy('n')
    .execute();
  const byDevice = Map.groupBy(lines, (line) => line.device_id);
  return devices.map((device): Target => {
    const type = device.type as DeviceType;
    const nominalVoltage = device.nominal_voltage ?? usualNominalVoltage;
    return {
      id: device.id,
      number: device.number,
      type,
      projectId: device.project_id,
      partId: device.part_id,
      nominalVoltage,
      lines: byDevice.get(device.id) ?? [],
      rating: (line) => ({
        type,
        nominalVoltage,
        ratedCurrent: line?.rated_current ?? usualRatedCurrent(type),
        poles: line?.poles ?? 1,
      }),
    };
  });
};

/** Throws `device.missing` for an unknown and for a foreign device. */
export const targetOf = async (db: Db, scope: Scope, deviceId: number): Promise<Target> =>
  (await targets(db, scope, [deviceId]))[0] ?? fault('device.missing');
