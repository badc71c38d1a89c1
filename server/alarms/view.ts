import { type RawBuilder, sql } from 'kysely';
import { alarmPhases } from '#contract/alarm-catalogue.ts';
import { alarmUnit } from '#contract/alarm-units.ts';
import type { AlarmRow } from '#contract/alarms.ts';
import { deviceTypes, lineChannels } from '#contract/telemetry.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { firstChannelPhase } from './engine/memory.ts';

/** An alarm joined with its device, line and project, as read from the database. */
export interface JoinedAlarm {
  id: number;
  revision: number;
  work_order: string;
  device_id: number;
  device_number: string;
  device_type: number;
  project_id: number | null;
  project_name: string | null;
  part_name: string | null;
  address: string | null;
  line_id: number;
  line_n: number;
  line_name: string | null;
  raised_at: Date;
  raised_text: string;
  received_at: Date;
  last_at: Date;
  cleared_at: Date | null;
  normal_at: Date | null;
  latched: boolean;
  processed: boolean;
  level: number;
  severity: number;
  code: number;
  phase: number;
  source: 'device' | 'server';
  value_type: number;
  unit: string | null;
  value: number | null;
  peak: number | null;
  threshold: number | null;
  snapshot: Record<string, unknown> | null;
  original: Record<string, unknown> | null;
  occurrences: number;
  late: boolean;
  suppressed_by: number | null;
  explains: number;
  tags: string[];
  urged: number;
  urged_at: Date | null;
  handling_content: string | null;
  handled_at: Date | null;
  handled_name: string | null;
  handled_channel: string | null;
  previous_id: number | null;
  previous_order: string | null;
  next_id: number | null;
  next_order: string | null;
  shelved_until: Date | null;
  shelved_reason: string | null;
  shelved_by: string | null;
}

/** The device `d` of an alarm `a` is still at the alarm's project. */
const stillOwned = sql`a.project_id is not distinct from d.project_id`;

/** Joins for the rows whose ids a `page` returns; `a` is the alarm. */
export const joinedAlarms = (page: RawBuilder<unknown>): RawBuilder<JoinedAlarm> => sql<JoinedAlarm>`
  select a.id, a.revision, a.work_order, a.device_id, coalesce(d.number, '') as device_number, coalesce(d.type, 0) as device_type,
    a.project_id, p.name as project_name, part.name as part_name,
    coalesce(case when ${stillOwned} then nullif(d.address, '') end, p.address) as address, a.line_id,
    coalesce(l.n, 0) as line_n, case when ${stillOwned} then l.name end as line_name,
    a.raised_at, a.raised_at::text as raised_text, a.received_at, a.last_at, a.cleared_at, a.normal_at,
    a.latched, a.processed, a.level, a.severity, a.code, a.phase, a.source, a.value_type, a.unit, a.value, a.peak, a.threshold, a.snapshot, a.original,
    a.occurrences, a.late, a.suppressed_by, explained.explains, a.tags, a.urged, a.urged_at, a.handling_content, a.handled_at,
    ${displayNameOf('u')} as handled_name, a.handled_channel,
    a.previous_id, previous.work_order as previous_order, next.id as next_id, next.work_order as next_order,
    s.until as shelved_until, s.reason as shelved_reason, ${displayNameOf('su')} as shelved_by
  from (${page}) page
    join alarms a on a.line_id = page.line_id and a.id = page.id
    left join devices d on d.id = a.device_id
    left join lines l on l.id = a.line_id
    left join projects p on p.id = a.project_id
    left join project_parts part on part.id = a.part_id
    left join users u on u.id = a.handled_by
    left join alarms previous on previous.line_id = a.line_id and previous.id = a.previous_id
    left join alarms next on next.previous_id = a.id
    cross join lateral (
      select count(*)::int as explains from alarms c
      where c.suppressed_by is not null and c.suppressed_by = a.id and ${notDeleted('c')}) explained
    left join shelvings s on s.alarm_id = a.id
    left join users su on su.id = s.user_id`;

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** The sensor that an alarm concerns. */
const channelOf = ({ device_type, phase }: JoinedAlarm): string => {
  const type = deviceTypes.find((known) => known === device_type);
  return (type && lineChannels[type][phase - firstChannelPhase]) ?? '';
};
const orderOf = (id: number | null, workOrder: string | null) =>
  id === null || workOrder === null ? null : { id, work_order: workOrder };

export const alarmOnWire = (row: JoinedAlarm): AlarmRow => ({
  id: row.id,
  revision: row.revision,
  work_order: row.work_order,
  device_id: row.device_id,
  device_number: row.device_number,
  device_type: row.device_type,
  project_id: row.project_id,
  project_name: row.project_name ?? '',
  part_name: row.part_name ?? '',
  address: row.address ?? '',
  line_id: row.line_id,
  line_n: row.line_n,
  line_name: row.line_name ?? '',
  time: row.raised_at.toISOString(),
  received_at: row.received_at.toISOString(),
  last_time: row.last_at.toISOString(),
  cleared_time: iso(row.cleared_at),
  status: row.processed ? 'processed' : 'unprocessed',
  active: row.cleared_at === null,
  reset_needed: row.cleared_at === null && row.normal_at !== null && row.latched,
  level: row.level,
  severity: row.severity,
  typeNumber: row.code,
  phase: alarmPhases[row.phase] ?? '',
  channel: channelOf(row),
  source: row.source,
  value_type: row.value_type,
  ...alarmUnit({ typeNumber: row.code, value_type: row.value_type, unit: row.unit }),
  value: row.value,
  peak: row.peak,
  threshold: row.threshold,
  electricity_data: row.snapshot,
  original_data: row.original,
  count: row.occurrences,
  late: row.late,
  suppressed_by: row.suppressed_by,
  explains: row.explains,
  follows: orderOf(row.previous_id, row.previous_order),
  followed_by: orderOf(row.next_id, row.next_order),
  shelved:
    row.shelved_until === null
      ? null
      : {
          until: row.shelved_until.toISOString(),
          reason: row.shelved_reason ?? '',
          operator: row.shelved_by ?? '',
        },
  tags: row.tags,
  urged: row.urged,
  urged_at: iso(row.urged_at),
  processing_content: row.handling_content,
  processed_at: iso(row.handled_at),
  processed_by: row.handled_name,
  processed_channel: row.handled_channel,
});
