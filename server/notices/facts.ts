import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Contact } from '#database/tables/directory.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { defaultZone } from '#server/core/zone.ts';
import { personnelContacts } from '#server/personnel/personnel.store.ts';
import { criticalSeverity, trippedLevel } from './notices.rules.ts';

/** An alarm, and the stored plan for its notices (null: none yet). */
export interface Fact {
  readonly alarmId: number;
  readonly lineId: number;
  readonly deviceId: number;
  readonly projectId: number | null;
  /** The present region of its project. */
  readonly regionId: number | null;
  readonly partId: number | null;
  readonly code: number;
  readonly level: number;
  readonly severity: number;
  /** When the alarm was raised, by the device's corrected clock. */
  readonly raisedAt: number;
  readonly receivedAt: number;
  readonly clearedAt: number | null;
  readonly late: boolean;
  readonly active: boolean;
  readonly processed: boolean;
  readonly urged: number;
  readonly workOrder: string;
  readonly phase: number;
  readonly valueType: number;
  /** Unit, if it is not the type's own. */
  readonly unit: string | null;
  readonly value: number | null;
  readonly peak: number | null;
  readonly threshold: number | null;
  readonly projectName: string;
  readonly deviceName: string;
  readonly deviceNumber: string;
  readonly address: string;
  readonly lineN: number;
  readonly lineName: string;
  /** An operator has shelved it until this time. */
  readonly shelvedUntil: number | null;
  readonly zone: string;
  readonly place: string;
  /** The protection opened its line because of it: one work order for the alarm and its trip (701). */
  readonly tripped: boolean;
  /** Another alarm explains it; it is a fact only because its own end needs a notice. */
  readonly explained: boolean;
  /** What ended it if not its condition: its device was deleted, or has another owner. */
  readonly endedBy: 'removed' | 'moved' | null;
  /** The device was deleted or has another owner: nobody can act on the alarm any more. */
  readonly gone: boolean;
  /** For an outage of the whole project: number of devices away, and of all. */
  readonly whole: { readonly devices: number; readonly of: number } | null;
  /** In the order in which they are called: the device's contacts, else the project's. */
  readonly contacts: readonly Contact[];
  readonly planned: {
    /** `noLevel`: it is still to be announced. */
    level: number;
    urged: number;
    plannedAt: number;
    checkedAt: number;
    /** Whether the all-clear of the alarm has been planned. */
    over: boolean;
    /** The region whose administrators were called; null: none were. */
    calledIn: number | null;
  } | null;
}

const mostOver = 500;

/**
 * Alarms that are still to be planned (also those that have ended or were handled meanwhile) or whose next step is
 * due, and alarms that rose, were reminded or ended. However long ago: nothing else would announce them. Oldest first.
 */
export const overdue = async (db: Db, now: number): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select a.id from counted_alarms() a left join alarm_notices n on n.alarm_id = a.id
    where a.cleared_at is null and not a.processed
      and (n.alarm_id is null or (a.level > n.level or 'trip' = any(a.tags) and n.level < ${sql.lit(trippedLevel)}) and not (a.late and a.severity > ${sql.lit(criticalSeverity)}))
    union
    select a.id from alarms a left join alarm_notices n on n.alarm_id = a.id
    where a.urged > 0 and not a.processed and a.urged > coalesce(n.urged, 0)
    union
    (select n.alarm_id from alarm_notices n join alarms a on a.line_id = n.line_id and a.id = n.alarm_id
    where n.over_at is null and n.planned_at is not null and a.cleared_at is not null and ${notDeleted('a')}
    limit ${mostOver})
    union
    (select n.alarm_id from alarm_notices n where n.next_at <= ${new Date(now)} order by n.next_at limit 2000)
    order by id`.execute(db);
  return rows.map((row) => row.id);
};

interface StoredFact {
  id: number;
  line_id: number;
  device_id: number;
  project_id: number | null;
  region_id: number | null;
  part_id: number | null;
  code: number;
  level: number;
  severity: number;
  raised_at: Date;
  received_at: Date;
  cleared_at: Date | null;
  work_order: string;
  phase: number;
  value_type: number;
  unit: string | null;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  address: string | null;
  late: boolean;
  processed: boolean;
  urged: number;
  shelved_until: Date | null;
  zone: string;
  project_name: string | null;
  device_name: string | null;
  number: string | null;
  line_name: string | null;
  line_n: number | null;
  contacts: Contact[] | null;
  tripped: boolean;
  explained: boolean;
  ended_by: string | null;
  gone: boolean;
  snapshot: { devices?: number; in_service?: number } | null;
  contact_name: string | null;
  contact_phone: string | null;
  personnel: Contact[] | null;
  planned_level: number | null;
  planned_urged: number | null;
  planned_at: Date | null;
  checked_at: Date | null;
  over_at: Date | null;
  called_in: number | null;
}

/** The device `d` of an alarm `a` is still at the alarm's project. */
const stillOwned = sql`a.project_id is not distinct from d.project_id`;

/** Alarms that count, and consequences that ended after their notices were planned: their end still needs a notice. */
export const factsOf = async (db: Db, ids: readonly number[]): Promise<Fact[]> => {
  const { rows } = await sql<StoredFact>`
    select a.id, a.line_id, a.device_id, a.project_id, a.part_id, a.code, a.level, a.severity, a.raised_at, a.received_at,
      a.cleared_at, a.work_order, a.phase, a.value_type, a.unit, a.value, a.peak, a.threshold, a.late, a.processed,
      coalesce(case when ${stillOwned} then nullif(d.address, '') end, p.address) as address, a.urged, s.until as shelved_until, coalesce(p.time_zone, ${defaultZone}) as zone,
      p.name as project_name, d.name as device_name, d.number,
      case when ${stillOwned} then l.name end as line_name, l.n as line_n,
      case when ${stillOwned} then d.contacts end as contacts, 'trip' = any(a.tags) as tripped,
      c.id is null as explained, a.line_id > 0 and (d.deleted_at is not null or not ${stillOwned}) as gone,
      case when a.cleared_at is not null then (
        select case when h.kind = 'moved' then h.kind else h.data->>'by' end from alarm_history h
        where h.line_id = a.line_id and h.alarm_id = a.id and h.kind in ('cleared', 'moved')
        order by h.seq desc limit 1) end as ended_by,
      case when a.line_id < 0 then a.snapshot end as snapshot, p.contact_name, p.contact_phone, p.region_id,
      ${personnelContacts('a.project_id')} as personnel, n.level as planned_level, n.urged as planned_urged, n.planned_at, n.checked_at, n.over_at, n.called_in
    from alarms a
      left join counted_alarms() c on c.line_id = a.line_id and c.id = a.id
      left join devices d on d.id = a.device_id
      left join lines l on l.id = a.line_id
      left join projects p on p.id = a.project_id
      left join alarm_notices n on n.alarm_id = a.id
      left join shelvings s on s.alarm_id = a.id
    where a.id = any(${[...ids]}::bigint[]) and ${notDeleted('a')}
      and (c.id is not null or (a.cleared_at is not null and n.planned_at is not null))
    order by a.id`.execute(db);
  return rows.map(factOf);
};

const factOf = (row: StoredFact): Fact => {
  const ofDevice = (row.contacts ?? []).filter((contact) => contact.phone !== '');
  const ofProject = [
    ...(row.contact_phone ? [{ name: row.contact_name ?? '', phone: row.contact_phone }] : []),
    ...(row.personnel ?? []),
  ];
  const line = row.line_n ? ` / ${row.line_name || row.line_n}` : '';
  return {
    alarmId: row.id,
    lineId: row.line_id,
    deviceId: row.device_id,
    projectId: row.project_id,
    regionId: row.region_id,
    partId: row.part_id,
    code: row.code,
    level: row.level,
    severity: row.severity,
    raisedAt: row.raised_at.getTime(),
    receivedAt: row.received_at.getTime(),
    clearedAt: row.cleared_at?.getTime() ?? null,
    workOrder: row.work_order,
    phase: row.phase,
    valueType: row.value_type,
    unit: row.unit,
    value: row.value,
    peak: row.peak,
    threshold: row.threshold,
    projectName: row.project_name ?? '',
    deviceName: row.device_name ?? '',
    deviceNumber: row.number ?? '',
    address: row.address ?? '',
    lineN: row.line_n ?? 0,
    lineName: row.line_name ?? '',
    late: row.late,
    active: row.cleared_at === null,
    processed: row.processed,
    urged: row.urged,
    shelvedUntil: row.shelved_until?.getTime() ?? null,
    zone: row.zone,
    place: [row.project_name, row.device_name || row.number].filter(Boolean).join(' / ') + line,
    tripped: row.tripped,
    explained: row.explained,
    endedBy: row.ended_by === 'removed' || row.ended_by === 'moved' ? row.ended_by : null,
    gone: row.gone,
    whole: row.snapshot && { devices: row.snapshot.devices ?? 0, of: row.snapshot.in_service ?? 0 },
    contacts: ofDevice.length > 0 ? ofDevice : ofProject,
    planned:
      row.planned_at && row.checked_at
        ? {
            level: row.planned_level ?? 1,
            urged: row.planned_urged ?? 0,
            plannedAt: row.planned_at.getTime(),
            checkedAt: row.checked_at.getTime(),
            over: row.over_at !== null,
            calledIn: row.called_in,
          }
        : null,
  };
};
