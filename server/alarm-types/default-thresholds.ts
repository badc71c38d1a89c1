/** Thresholds of all devices of a type, in a project or the whole installation. */

import { sql } from 'kysely';
import { catalogueValue, ratingsOf, thresholdKeysOf } from '#contract/alarm-catalogue.ts';
import type { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { limitHazard } from '#contract/hazards.ts';
import { brokenPair, brokenPairs, flawOf, orderFaultOf, parameterOf } from '#contract/parameters.ts';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { Scope } from '#server/core/scope.ts';
import { mustManageProject } from '#server/core/visible-project.ts';

/** A month's energy is counted only for lines with a quota of their own. */
const ofLinesOnly: ReadonlySet<string> = new Set(['quota_kwh']);
const keysOf = (deviceType: DeviceType) =>
  thresholdKeysOf(deviceType).filter((key) => !ofLinesOnly.has(key) && parameterOf(key));
const everywhere = 0;
const thresholdLock = 815_204_002;
/** Maximum number of projects named in the fault. */
const mostNamed = 5;

type Where = BodyOf<typeof alarmTypeEndpoints.defaults>;
type Change = BodyOf<typeof alarmTypeEndpoints.setDefaults>;

type Thresholds = Readonly<Record<string, number>>;
/** Whether lines without their own value lose protection. */
const weakens = (key: string, type: DeviceType, before: Thresholds, after: Thresholds): boolean => {
  // Ratings differ from line to line.
  const effective = (thresholds: Thresholds) =>
    thresholds[key] ??
    catalogueValue(
      key,
      type,
      ratingsOf({ type, thresholds, nominalVoltage: Number.NaN, ratedCurrent: Number.NaN }),
    );
  return before[key] !== after[key] && limitHazard(key, effective(before), effective(after)) !== null;
};

export const defaultThresholds = (db: Db, scope: Scope) => {
  const typeOf = (given: number): DeviceType => deviceTypes.find((type) => type === given) ?? 3;
  /** Throws `project.missing` outside the scope. */
  const place = async (projectId: number | undefined): Promise<number> => {
    if (projectId === undefined) return everywhere;
    return (await mustManageProject(db, scope, projectId)).id;
  };
  /**
   * The time of the last change serves as the revision: `write` never gives two changes of one level the same
   * time.
   */
  const stored = async (
    projectId: number,
    deviceType: DeviceType,
  ): Promise<{ thresholds: Record<string, number>; revision: number }> => {
    const row = await db
      .selectFrom('default_thresholds')
      .select(['thresholds', 'updated_at'])
      .where('project_id', '=', projectId)
      .where('device_type', '=', deviceType)
      .executeTakeFirst();
    return { thresholds: row?.thresholds ?? {}, revision: row?.updated_at.getTime() ?? 0 };
  };
  const inheritedBy = async (projectId: number, deviceType: DeviceType): Promise<Record<string, number>> =>
    projectId === everywhere ? {} : (await stored(everywhere, deviceType)).thresholds;
  /** Projects in which one of the installation's new values would cross their own other half. */
  const crossed = async (
    deviceType: DeviceType,
    after: Readonly<Record<string, number>>,
    keys: ReadonlySet<string>,
  ): Promise<{ keys: string[]; projects: string[] }> => {
    const rows = await db
      .selectFrom('default_thresholds')
      .innerJoin('projects', 'projects.id', 'default_thresholds.project_id')
      .select(['projects.name', 'default_thresholds.thresholds'])
      .where('device_type', '=', deviceType)
      .where(notDeleted('projects'))
      .orderBy('projects.id')
      .execute();
    const found = rows.map(({ name, thresholds }) => ({
      name,
      keys: brokenPairs({ ...after, ...thresholds })
        .flat()
        .filter((key) => keys.has(key) && !(key in thresholds)),
    }));
    const crossing = found.filter((row) => row.keys.length > 0);
    return {
      keys: [...new Set(crossing.flatMap((row) => row.keys))],
      projects: crossing.map(({ name }) => name),
    };
  };
  return {
    async read(where: Where): Promise<ReplyOf<typeof alarmTypeEndpoints.defaults>> {
      const deviceType = typeOf(where.device_type);
      const projectId = await place(where.project_id);
      const { thresholds: own, revision } = await stored(projectId, deviceType);
      const inherited = await inheritedBy(projectId, deviceType);
      return {
        project_id: where.project_id ?? null,
        device_type: deviceType,
        revision,
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

    /**
     * Throws `setting.*` at the field, `thing.changed`; for the whole installation `permission.denied` to a
     * user who sees less. Pairs stay in order in every project, even if two users each set one half.
     * `mayWeaken` throws if a limit that the change weakens must stay.
     */
    async write(
      change: Change,
      by: { userId: number; now: number },
      mayWeaken: (limits: readonly string[]) => Promise<void>,
    ) {
      const deviceType = typeOf(change.device_type);
      if (change.project_id === undefined && !scope.all) fault('permission.denied');
      const projectId = await place(change.project_id);
      // One change at a time, because each is compared with the values of the others.
      await sql`select pg_advisory_xact_lock(${thresholdLock}, ${deviceType})`.execute(db);
      const { thresholds: before, revision } = await stored(projectId, deviceType);
      if (change.revision !== undefined && change.revision !== revision)
        fault('thing.changed', { data: { revision, current: before } });
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
      const inherited = await inheritedBy(projectId, deviceType);
      const broken = brokenPair({ ...inherited, ...after });
      if (broken) fields[`thresholds.${broken[0]}`] = orderFaultOf(broken[0]);
      const { keys, projects } =
        projectId === everywhere
          ? await crossed(deviceType, after, new Set(Object.keys(change.thresholds)))
          : { keys: [], projects: [] };
      for (const key of keys) fields[`thresholds.${key}`] ??= 'setting.orderIn';
      if (Object.keys(fields).length > 0)
        fault('request.invalid', { fields, with: { projects: projects.slice(0, mostNamed).join(', ') } });
      const weakened = Object.keys(change.thresholds).filter((key) =>
        weakens(key, deviceType, { ...inherited, ...before }, { ...inherited, ...after }),
      );
      if (weakened.length > 0) await mayWeaken(weakened);
      const changedAt = Math.max(by.now, revision + 1);
      const row = {
        thresholds: JSON.stringify(after),
        updated_at: new Date(changedAt),
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
        revision: changedAt,
        thresholds: after,
        before,
      };
    },
  };
};
