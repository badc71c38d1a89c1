/** Thresholds for all devices of a type, of a project or of the whole installation. */
import { thresholdKeysOf } from '#contract/alarm-catalogue.ts';
import type { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { brokenPair, flawOf, parameterOf } from '#contract/parameters.ts';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { holds, type Scope } from '#server/core/scope.ts';

/** A month's energy is counted for those lines only that have a quota of their own. */
const ofLinesOnly: ReadonlySet<string> = new Set(['quota_kwh']);
const keysOf = (deviceType: DeviceType) =>
  thresholdKeysOf(deviceType).filter((key) => !ofLinesOnly.has(key) && parameterOf(key));
const everywhere = 0;

type Where = BodyOf<typeof alarmTypeEndpoints.defaults>;
type Change = BodyOf<typeof alarmTypeEndpoints.setDefaults>;

export const defaultThresholds = (db: Db, scope: Scope) => {
  const typeOf = (given: number): DeviceType => deviceTypes.find((type) => type === given) ?? 3;
  /** Throws `project.missing` outside the scope. */
  const place = async (projectId: number | undefined): Promise<number> => {
    if (projectId === undefined) return everywhere;
    const row = await db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', projectId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return row && holds(scope, row.id, null) ? row.id : fault('project.missing');
  };
  const stored = async (projectId: number, deviceType: DeviceType): Promise<Record<string, number>> => {
    const row = await db
      .selectFrom('default_thresholds')
      .select('thresholds')
      .where('project_id', '=', projectId)
      .where('device_type', '=', deviceType)
      .executeTakeFirst();
    return row?.thresholds ?? {};
  };
  return {
    async read(where: Where): Promise<ReplyOf<typeof alarmTypeEndpoints.defaults>> {
      const deviceType = typeOf(where.device_type);
      const projectId = await place(where.project_id);
      const own = await stored(projectId, deviceType);
      const inherited = projectId === everywhere ? {} : await stored(everywhere, deviceType);
      return {
        project_id: where.project_id ?? null,
        device_type: deviceType,
        parameters: keysOf(deviceType).flatMap((key) => {
          const known = parameterOf(key);
          if (!known) return [];
          return [
            {
              key,
              unit: known.unit,
              role: known.role,
              min: known.min,
              max: known.max,
              step: known.step,
              zero_is_off: known.zeroIsOff === true,
              value: own[key] ?? null,
              inherited: inherited[key] ?? null,
            },
          ];
        }),
      };
    },

    /** Throws `setting.*` at the field; for the whole installation `permission.denied` to who sees less. */
    async write(change: Change, by: { userId: number; now: number }) {
      const deviceType = typeOf(change.device_type);
      if (change.project_id === undefined && !scope.all) fault('permission.denied');
      const projectId = await place(change.project_id);
      const before = await stored(projectId, deviceType);
      const allowed = new Set(keysOf(deviceType));
      const fields: Record<string, FaultCode> = {};
      const after = { ...before };
      for (const [key, value] of Object.entries(change.thresholds)) {
        const flaw = value === null ? null : flawOf(key, value, deviceType);
        if (!allowed.has(key)) fields[`thresholds.${key}`] = 'setting.unknown';
        else if (flaw) fields[`thresholds.${key}`] = `setting.${flaw}`;
        else if (value === null) delete after[key];
        else after[key] = value;
      }
      const inherited = projectId === everywhere ? {} : await stored(everywhere, deviceType);
      const broken = brokenPair({ ...inherited, ...after });
      if (broken) fields[`thresholds.${broken[0]}`] = 'setting.order';
      if (Object.keys(fields).length > 0) fault('request.invalid', { fields });
      const row = {
        thresholds: JSON.stringify(after),
        updated_at: new Date(by.now),
        updated_by: by.userId,
      };
      await db
        .insertInto('default_thresholds')
        .values({ project_id: projectId, device_type: deviceType, ...row })
        .onConflict((conflict) => conflict.columns(['project_id', 'device_type']).doUpdateSet(row))
        .execute();
      return {
        project_id: change.project_id ?? null,
        device_type: deviceType,
        thresholds: after,
        before,
      };
    },
  };
};
