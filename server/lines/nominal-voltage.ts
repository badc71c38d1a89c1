/**
 * Proposes the nominal voltage that fits the readings, and applies it when an operator accepts. Decision
 * 0084.
 */

import { type RawBuilder, sql } from 'kysely';
import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Hazard } from '#contract/hazards.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import { nominalVoltages } from '#contract/projects.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { LinesConcerned } from '#server/control/hazard.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { holds, inScope, type Scope } from '#server/core/scope.ts';
import type { Caller } from '#server/core/session.ts';
import { proposedVoltage, type Voltages } from './nominal-voltage.rules.ts';

const roundMs = 5 * 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const devicesAtOnce = 200;

/** The voltage in effect: the device's own value, else its project's. `d` is the device. */
const nominal = sql<number>`coalesce((select (itself.thresholds->>'un')::real from lines itself
  where itself.device_id = d.id and itself.n = 0),
  (select p.nominal_voltage from projects p where p.id = d.project_id), ${usualNominalVoltage})`;

/** Devices with a voltage alarm in the last week, or with a proposal. Others need no check. */
const candidates = (since: Date, after: number) => sql`
  select d.id, ${nominal} as nominal, greatest(coalesce(d.bound_at, d.registered_at), ${since}::timestamptz) as since
  from devices d where ${notDeleted('d')} and d.id > ${after} and (d.proposed_voltage is not null or d.id in (
    select a.device_id from alarms a where a.code in (${alarmCodes.overvoltage}, ${alarmCodes.undervoltage}) and a.raised_at > ${since}::timestamptz
    union all select a.device_id from alarms a where a.code in (${alarmCodes.overvoltage}, ${alarmCodes.undervoltage}) and a.cleared_at is null))
  order by d.id limit ${devicesAtOnce}`;

/** Steady voltages, without those of a line without supply. */
const seen = (table: 'rollup_minute' | 'rollup_hour', from: RawBuilder<unknown>, where = sql`true`) => sql`
  (select percentile_cont(0.5) within group (order by (r.voltage_min + r.voltage_max) / 2) as median,
     count(distinct r.bucket) as n
   from lines l join ${sql.table(table)} r on r.line_id = l.id and r.bucket >= ${from}
   where l.device_id = c.id and l.n > 0 and r.voltage_max > 50 and r.voltage_min > 0.8 * r.voltage_max and ${where})`;

interface Measured {
  id: number;
  nominal: number;
  recent: number | null;
  recent_n: number;
  week: number | null;
  week_n: number;
  fitting: number;
}

const measure = async (db: Db, now: number, after: number): Promise<Measured[]> => {
  const at = (ago: number) => sql`greatest(c.since, ${new Date(now - ago)}::timestamptz)`;
  const month = sql`greatest((select coalesce(d.bound_at, d.registered_at) from devices d where d.id = c.id),
    ${new Date(now - 30 * dayMs)}::timestamptz)`;
  const isFitting = sql`abs((r.voltage_min + r.voltage_max) / 2 / c.nominal - 1) <= 0.1`;
  const { rows } = await sql<Measured>`
    select c.id, c.nominal, recent.median as recent, recent.n as recent_n, week.median as week, week.n as week_n,
      fitting.n as fitting
    from (${candidates(new Date(now - 7 * dayMs), after)}) c
      cross join lateral ${seen('rollup_minute', at(hourMs))} recent
      cross join lateral ${seen('rollup_hour', at(7 * dayMs))} week
      cross join lateral ${seen('rollup_hour', month, isFitting)} fitting
    order by c.id`.execute(db);
  return rows;
};

const voltagesOf = (row: Measured): Voltages => ({
  nominal: row.nominal,
  recent: { median: row.recent ?? Number.NaN, n: row.recent_n },
  week: { median: row.week ?? Number.NaN, n: row.week_n },
  fitting: row.fitting,
});

export const nominalVoltageWork = (db: Db): TimedWork => ({
  name: 'nominalVoltages',
  next: every(roundMs),
  async run({ now, signal }) {
    const counts = { checked: 0, changed: 0 };
    for (let last = 0; !signal.aborted; ) {
      const rows = await measure(db, now, last);
      const found = rows.map((row) => ({ id: row.id, volts: proposedVoltage(voltagesOf(row)) }));
      const { numAffectedRows = 0n } = await sql`
        update devices d set proposed_voltage = nullif(found.volts, d.declined_voltage)
        from unnest(${found.map(({ id }) => id)}::int[], ${found.map(({ volts }) => volts)}::smallint[]) as found (id, volts)
        where d.id = found.id and d.proposed_voltage is distinct from nullif(found.volts, d.declined_voltage)`.execute(
        db,
      );
      counts.checked += rows.length;
      counts.changed += Number(numAffectedRows);
      if (rows.length < devicesAtOnce) break;
      last = rows.at(-1)!.id;
    }
    return counts;
  },
});

const held = async (db: Db, scope: Scope, deviceId: number, lock: boolean) => {
  const { rows } = await sql<{
    id: number;
    project_id: number | null;
    nominal: number;
    proposed_voltage: number | null;
  }>`
    select d.id, d.project_id, ${nominal} as nominal, d.proposed_voltage from devices d
    where d.id = ${deviceId} and ${notDeleted('d')} and ${inScope(scope, 'd.project_id', 'd.part_id')}
    ${lock ? sql`for no key update of d` : sql``}`.execute(db);
  return rows[0] ?? fault('device.missing');
};

/** Only users of the whole project may change it, and only to a line-to-neutral voltage. */
const mayBeOfProject = (caller: Caller, projectId: number | null, volts: number | null): boolean =>
  projectId !== null &&
  caller.permissions.has('project.write') &&
  holds(caller.scope, projectId, null) &&
  nominalVoltages.some((standard) => standard === volts);

export const nominalVoltageOf = async (
  db: Db,
  caller: Caller,
  deviceId: number,
): Promise<ReplyOf<typeof lineEndpoints.nominalVoltage>> => {
  const device = await held(db, caller.scope, deviceId, false);
  const alike = await db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', device.project_id)
    .where(notDeleted('devices'))
    .where('proposed_voltage', '=', device.proposed_voltage)
    .executeTakeFirstOrThrow();
  const ofProject = mayBeOfProject(caller, device.project_id, device.proposed_voltage);
  return {
    device_id: device.id,
    nominal_voltage: device.nominal,
    proposed_voltage: device.proposed_voltage,
    project_devices: ofProject ? alike.count : null,
  };
};

type Body = BodyOf<typeof lineEndpoints.setNominalVoltage>;
/** The change, for the caller's events. */
interface Taken {
  deviceId: number;
  projectId: number | null;
  before: number;
}

/**
 * Accepts a proposal for the device or its whole project, or declines it. Throws `thing.changed` if the
 * proposal has changed, and the guards' faults: every limit that depends on the voltage changes too.
 */
export const setNominalVoltage = async (
  trx: Db,
  caller: Caller,
  { device_id, volts, take }: Body,
  guards: {
    device: (deviceId: number, hazard: Hazard) => Promise<void>;
    project: (concerned: LinesConcerned, hazard: Hazard) => Promise<void>;
  },
): Promise<Taken> => {
  const device = await held(trx, caller.scope, device_id, true);
  if (device.proposed_voltage !== volts)
    fault('thing.changed', { data: { current: device.proposed_voltage } });
  const taken = { deviceId: device.id, projectId: device.project_id, before: device.nominal };
  const settle = (set: object) => trx.updateTable('devices').set({ proposed_voltage: null, ...set });
  if (take === 'neither') {
    await settle({ declined_voltage: volts }).where('id', '=', device.id).execute();
  } else if (take === 'device') {
    await guards.device(device.id, 'weakens');
    await sql`update lines set thresholds = thresholds || jsonb_build_object('un', ${volts}::int), revision = revision + 1
      where device_id = ${device.id} and n = 0`.execute(trx);
    await settle({}).where('id', '=', device.id).execute();
  } else {
    if (!mayBeOfProject(caller, device.project_id, volts)) fault('permission.denied');
    const projectId = device.project_id!;
    await guards.project({ deviceTypes, projectId, limits: ['un'] }, 'weakens');
    await trx
      .updateTable('projects')
      .set((row) => ({ nominal_voltage: volts, revision: row('revision', '+', 1) }))
      .where('id', '=', projectId)
      .execute();
    await settle({}).where('project_id', '=', projectId).where('proposed_voltage', '=', volts).execute();
  }
  return taken;
};
