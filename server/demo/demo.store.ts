import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { inScope, type Scope } from '#server/core/scope.ts';

export const demoStore = (db: Db) => ({
  async device(scope: Scope, id: number): Promise<{ number: string; projectId: number | null }> {
    const device = await db
      .selectFrom('devices')
      .select(['number', 'project_id'])
      .where('id', '=', id)
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .executeTakeFirst();
    return device ? { number: device.number, projectId: device.project_id } : fault('device.missing');
  },
  /** The number of a line on its device. */
  async line(deviceId: number, lineId: number): Promise<number> {
    const line = await db
      .selectFrom('lines')
      .select('n')
      .where('id', '=', lineId)
      .where('device_id', '=', deviceId)
      .where('n', '>', 0)
      .executeTakeFirst();
    return line?.n ?? fault('line.missing');
  },
  async idsOf(scope: Scope, numbers: readonly string[]): Promise<Map<string, number>> {
    if (numbers.length === 0) return new Map();
    const devices = await db
      .selectFrom('devices')
      .select(['id', 'number'])
      .where('number', 'in', numbers)
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .execute();
    return new Map(devices.map((device) => [device.number, device.id]));
  },
});
