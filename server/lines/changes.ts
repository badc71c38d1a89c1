import { alarmCatalogue, effectiveValue, judgedKeysOf } from '#contract/alarm-catalogue.ts';
import { crossedBy } from '#contract/crossed-limits.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { graverOf, type Hazard, limitHazard } from '#contract/hazards.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import { flawOf, orderFaultOf, parameterOf } from '#contract/parameters.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { CfgMessage, DeviceType } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { lineRefOf } from '#server/core/line-ref.ts';
import type { Caller } from '#server/core/session.ts';
import { lineInScope } from './lines.store.ts';

type Body = BodyOf<typeof lineEndpoints.change>;
type MustBeSafe = (deviceId: number, hazard: Hazard | null) => Promise<void>;

/** Parameters that the server itself uses to judge readings. */
const judged = new Set(alarmCatalogue.flatMap(judgedKeysOf));
for (const key of ['in', 'un']) judged.add(key);

export const lineChanges = (trx: Db) => ({
  /**
   * Renames a line and changes what the server keeps about it. Throws `line.*` at the field, `thing.changed`,
   * and what `mustBeSafe` throws for a change that weakens the line's protection.
   */
  async change(caller: Caller, body: Body, mustBeSafe: MustBeSafe) {
    await trx.selectFrom('lines').select('id').where('id', '=', body.line_id).forNoKeyUpdate().execute();
    const line = await lineInScope(trx, caller.scope, body.line_id);
    if (body.revision !== undefined && body.revision !== line.revision)
      fault('thing.changed', {
        data: {
          revision: line.revision,
          current: {
            name: line.name,
            alias: line.alias,
            model: line.model,
            critical: line.critical,
            thresholds: line.thresholds,
          },
        },
      });
    const fields: Record<string, FaultCode> = {};
    if (body.name !== undefined) {
      if (body.old_name !== line.name) fields['old_name'] = 'line.nameOld';
      else if (body.name === line.name) fields['name'] = 'line.nameSame';
    }
    const configures = body.critical !== undefined || body.thresholds !== undefined;
    if (configures && !caller.permissions.has('device.configure')) fault('permission.denied');
    // Only the first two roles may open a critical line, so only they may mark it as not critical.
    if (
      body.critical !== undefined &&
      body.critical !== line.critical &&
      caller.role > builtInRoles.regionalAdmin
    )
      fault('permission.denied');
    const thresholds = body.thresholds && (await limits(trx, line, body.thresholds, fields));
    if (thresholds) Object.assign(fields, await crossedLimits(trx, line, body.thresholds ?? {}, thresholds));
    if (Object.keys(fields).length > 0) fault('request.invalid', { fields });
    await mustBeSafe(
      line.device_id,
      graverOf([
        thresholds ? await hazardOfLimits(trx, line, thresholds) : null,
        // A critical load must not be disconnected by mistake.
        line.critical && body.critical === false ? 'weakens' : null,
      ]),
    );
    await trx
      .updateTable('lines')
      .set((row) => ({
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.alias === undefined ? {} : { alias: body.alias }),
        ...(body.model === undefined ? {} : { model: body.model }),
        ...(body.critical === undefined ? {} : { critical: body.critical }),
        ...(thresholds === undefined ? {} : { thresholds: JSON.stringify(thresholds) }),
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', line.id)
      .execute();
    return {
      line_id: line.id,
      name: body.name ?? line.name,
      revision: line.revision + 1,
      before: { name: line.name, alias: line.alias, model: line.model, critical: line.critical },
      device_id: line.device_id,
      project_id: line.project_id,
    };
  },
});

type Line = Awaited<ReturnType<typeof lineInScope>>;

/** The line's limits after the change; limits that the device keeps are changed there. */
const limits = async (
  trx: Db,
  line: Line,
  given: NonNullable<Body['thresholds']>,
  fields: Record<string, FaultCode>,
) => {
  const reported = await trx
    .selectFrom('device_reported')
    .select('payload')
    .where('device_id', '=', line.device_id)
    .where('kind', '=', 'cfg')
    .executeTakeFirst();
  const onDevice = (reported?.payload as unknown as CfgMessage | undefined)?.p[line.n] ?? {};
  const after: Record<string, number> = { ...line.thresholds };
  for (const [key, value] of Object.entries(given)) {
    const field = `thresholds.${key}`;
    const flaw = value === null ? null : flawOf(key, value, line.type as DeviceType);
    if (!parameterOf(key) || !judged.has(key)) fields[field] = 'setting.unknown';
    else if (Object.hasOwn(onDevice, key)) fields[field] = 'setting.onDevice';
    else if (flaw) fields[field] = `setting.${flaw}`;
    else if (value === null) delete after[key];
    else after[key] = value;
  }
  return after;
};

/** Limits in effect, with the requested own values of the line. */
const wantedLimits = async (trx: Db, line: Line, after: Readonly<Record<string, number>>) => {
  const { inherited } = await trx
    .selectFrom('effective_thresholds')
    .select('inherited')
    .where('line_id', '=', line.id)
    .executeTakeFirstOrThrow();
  return { ...inherited, ...after };
};

/** The given limits that would cross the other half of their pair. */
const crossedLimits = async (
  trx: Db,
  line: Line,
  given: NonNullable<Body['thresholds']>,
  after: Readonly<Record<string, number>>,
): Promise<Record<string, FaultCode>> => {
  const judgedBy = await lineRefOf(trx, line.id);
  if (!judgedBy) return {};
  const thresholds = await wantedLimits(trx, line, after);
  return Object.fromEntries(
    Object.keys(given).flatMap((key) => {
      const other = crossedBy(key, { ...judgedBy, thresholds });
      return other === null ? [] : [[`thresholds.${key}`, orderFaultOf(key)]];
    }),
  );
};

/**
 * The effect of the line's requested limits on its protection, compared with the limits in effect at any
 * level.
 */
const hazardOfLimits = async (
  trx: Db,
  line: Line,
  after: Readonly<Record<string, number>>,
): Promise<Hazard | null> => {
  const judged = await lineRefOf(trx, line.id);
  if (!judged) return 'weakens';
  const effective = (key: string, thresholds: Readonly<Record<string, number>>) =>
    effectiveValue(key, { ...judged, thresholds });
  const wanted = await wantedLimits(trx, line, after);
  const changed = new Set([...Object.keys(line.thresholds), ...Object.keys(after)]);
  return graverOf(
    [...changed]
      .filter((key) => line.thresholds[key] !== after[key])
      .map((key) => limitHazard(key, effective(key, judged.thresholds), effective(key, wanted))),
  );
};
