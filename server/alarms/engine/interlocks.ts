/**
 * Conditions of level 2 that forbid closing a line. They follow the measurements and reports, not the record:
 * an alarm may be shelved, suppressed or deleted, and its type or its alarm level switched off.
 */
import type pg from 'pg';
import { severityOf } from '#contract/alarm-catalogue.ts';
import type { Db } from '#database/connect.ts';
import type { StoredEvents } from '#database/tables/alarms.ts';
import type { Batch } from '#server/core/batch.ts';
import { json } from '#server/core/stored-json.ts';
import type { ConditionKey, Draft } from './changes.ts';
import { type ActiveAlarm, type AlarmMemory, type Condition, freshCondition, keyOf } from './memory.ts';
import { fromStored, toStored } from './stored-events.ts';

interface ActiveInterlock {
  lineId: number;
  code: number;
}

/** Conditions of these lines that forbid closing: for each line only its own. */
export const activeInterlocks = async (db: Db, lineIds: readonly number[]): Promise<ActiveInterlock[]> => {
  if (lineIds.length === 0) return [];
  return db
    .selectFrom('line_conditions')
    .select(['line_id as lineId', 'code'])
    .where('line_id', 'in', [...lineIds])
    .orderBy('line_id')
    .orderBy('code')
    .execute();
};

const interlockOf = (condition: Condition | undefined): Condition['interlock'] => {
  const active = condition?.active;
  if (active?.level === 2 && active.clearedAt === null) return active.latched ? 'latched' : 'held';
  return condition?.beyond ? 'held' : 'none';
};

const upsert = `insert into line_conditions (line_id, code, phase, device_id, since, source, event_id, boot, latched,
    open_events)
  select line_id, code, phase, device_id, since, source, event_id, boot, latched, open_events
  from jsonb_populate_recordset(null::line_conditions, $1::jsonb) order by line_id, code, phase
  on conflict (line_id, code, phase) do update set source = excluded.source, event_id = excluded.event_id,
    boot = excluded.boot, latched = excluded.latched, open_events = excluded.open_events`;
const remove = `delete from line_conditions c using (
    select c.line_id, c.code, c.phase
    from line_conditions c join jsonb_to_recordset($1::jsonb) as r (line_id int, code smallint, phase smallint)
      using (line_id, code, phase)
    order by c.line_id, c.code, c.phase for update of c) gone
  where c.line_id = gone.line_id and c.code = gone.code and c.phase = gone.phase`;

/** Adds the draft's changes to the group's transaction; nothing if nothing changed. */
export const writeInterlocks = (batch: Batch, memory: AlarmMemory, draft: Draft): void => {
  const held: Record<string, unknown>[] = [];
  const gone: Record<string, unknown>[] = [];
  for (const key of draft.interlocks.values()) {
    if (key.lineId < 0) continue;
    const condition = memory.known(key.lineId)?.conditions.get(keyOf(key.code, key.phase));
    const interlock = interlockOf(condition);
    const active = condition?.active;
    const hasOtherEvents = active ? draft.opened.has(active) : false;
    if (condition && interlock === condition.interlock && (interlock === 'none' || !hasOtherEvents)) continue;
    if (condition) draft.journal.touch(condition).interlock = interlock;
    if (interlock === 'none') gone.push(rowOf(key));
    else held.push({ ...rowOf(key), ...aboutOf(active, key.at, interlock) });
  }
  if (gone.length > 0) batch.add({ name: 'interlocks-remove', text: remove, values: [JSON.stringify(gone)] });
  if (held.length > 0) batch.add({ name: 'interlocks-upsert', text: upsert, values: [json(held)] });
};

const rowOf = ({ lineId, deviceId, code, phase }: ConditionKey) => ({
  line_id: lineId,
  device_id: deviceId,
  code,
  phase,
});
const aboutOf = (active: ActiveAlarm | null | undefined, at: number, interlock: Condition['interlock']) => {
  const alarm = active?.level === 2 ? active : null;
  return {
    since: new Date(alarm?.raisedAt ?? at).toISOString(),
    source: alarm?.source ?? 'limit',
    event_id: alarm?.eventId ?? null,
    boot: alarm?.boot ?? null,
    latched: interlock === 'latched',
    open_events: alarm ? toStored(alarm) : null,
  };
};

interface Row {
  line_id: number;
  code: number;
  phase: number;
  device_id: number;
  since: Date;
  /** 'limit': the value exceeds a limit whose alarm level is switched off. */
  source: 'device' | 'server' | 'limit';
  event_id: string | null;
  boot: number | null;
  latched: boolean;
  open_events: StoredEvents | null;
  project_id: number | null;
  part_id: number | null;
}

/** Loads the stored conditions. One without an active alarm of level 2 stays in force without an alarm. */
export const restoreInterlocks = async (pool: pg.Pool, memory: AlarmMemory): Promise<void> => {
  const { rows } = await pool.query<Row>(
    `select c.*, d.project_id, d.part_id from line_conditions c left join devices d on d.id = c.device_id`,
  );
  for (const row of rows) {
    const key = keyOf(row.code, row.phase);
    const line = memory.line(row.line_id, row.device_id);
    const active = line.conditions.get(key)?.active ?? null;
    const condition = line.conditions.get(key) ?? freshCondition(row.code, row.phase);
    line.conditions.set(key, condition);
    condition.interlock = row.latched ? 'latched' : 'held';
    if (row.source === 'limit' || active?.level === 1) condition.beyond = true;
    else condition.active = active ?? unrecordedOf(row, row.source);
  }
};

const unrecordedOf = (row: Row, source: 'device' | 'server'): ActiveAlarm => ({
  id: 0,
  lineId: row.line_id,
  deviceId: row.device_id,
  projectId: row.project_id,
  partId: row.part_id,
  code: row.code,
  phase: row.phase,
  severity: severityOf(row.code, 2),
  level: 2,
  source,
  eventId: row.event_id,
  raisedAt: row.since.getTime(),
  receivedAt: row.since.getTime(),
  lastAt: row.since.getTime(),
  normalAt: null,
  goneAt: null,
  clearedAt: null,
  latched: row.latched,
  parent: null,
  value: null,
  peak: null,
  threshold: null,
  unit: null,
  reportedUnit: null,
  tags: [],
  late: false,
  boot: row.boot,
  previousId: null,
  followedBy: null,
  ...fromStored(row.open_events),
  unrecorded: true,
  unwritten: 0,
  writtenAt: row.since.getTime(),
});
