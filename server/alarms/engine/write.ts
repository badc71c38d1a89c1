/**
 * Writes a draft inside the group's transaction: a few statements with many rows, in the order of line_id.
 */

import { DateTime } from 'luxon';
import { alarmTypeOf, valueTypes } from '#contract/alarm-catalogue.ts';
import type { Batch } from '#server/core/batch.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';
import { json, parsed } from '#server/core/stored-json.ts';
import { unexplainedSql } from '#server/core/unexplained.ts';
import { noteChangedDays } from '../closed-days.ts';
import { endShelvingSql } from '../shelving.ts';
import type { Draft, HistoryStep, Raise } from './changes.ts';
import { type ActiveRow, activeColumns } from './load.ts';
import type { ActiveAlarm } from './memory.ts';
import { isOfContacts } from './open-with-current.ts';
import { toStored } from './stored-events.ts';

interface Overlooked {
  readonly lineId: number;
  readonly code: number;
  readonly eid: string;
  readonly boot: number;
  /** When the alarm ended. */
  readonly at: number;
}
export interface Written {
  /**
   * Alarms raised in memory for which a row with the same line, phase and code was already active: both are
   * the same alarm.
   */
  readonly adopted: ReadonlyMap<ActiveAlarm, { level: 1 | 2; raisedAt: number }>;
  /** Alarms changed in memory whose row no longer exists or is no longer active. */
  readonly dropped: ReadonlySet<ActiveAlarm>;
  /**
   * Raised as active although rows show that these episodes had already ended. Messages that belong to them
   * must be evaluated again.
   */
  readonly overlooked: readonly Overlooked[];
  /** Alarms with changes that memory took for unprocessed, though an operator has handled them. */
  readonly handled: readonly ActiveAlarm[];
  /**
   * Active rows that memory did not know and that are processed, of a lower level or of other events: memory
   * must load them first.
   */
  readonly unknown: readonly ActiveRow[];
  /** Occurrences that the rows now count. */
  readonly counted: ReadonlyMap<ActiveAlarm, number>;
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
/** A number that fits a `real` column. */
const real = (value: number | null) => {
  const narrow = value === null ? Number.NaN : Math.fround(value);
  return Number.isFinite(narrow) ? narrow : null;
};
/** A raised alarm that already has an id and a work order number. */
interface Numbered extends Raise {
  readonly id: number;
  readonly workOrder: string;
}
/** A raised alarm without a work order number yet: they are counted by project and calendar day of receipt. */
interface Unnumbered extends Raise {
  readonly day: string;
  /**
   * Number of raises in this draft that come later on the same day. The work order number is counted back
   * from the last one.
   */
  readonly followers: number;
}
type Insertable = Numbered | Unnumbered;

/**
 * Reserves numbers of each day; the rows are locked until the transaction ends, and are locked before alarms.
 */
const takeNumbers = `insert into work_orders (day, last)
  select day, n from unnest($1::date[], $2::int[]) as given (day, n) order by day
  on conflict (day) do update set last = work_orders.last + excluded.last`;
const takeIds = `select json_agg(nextval('alarm_ids')) from generate_series(1, $1::int)`;

const minuteMs = 60_000;
const withDays = (raises: readonly Raise[], zoneOf: (projectId: number | null) => string): Unnumbered[] => {
  // Days begin at a whole minute, so the day is calculated once for each minute and zone.
  const days = new Map<string, string>();
  const dayOf = (receivedAt: number, zone: string): string => {
    const key = `${Math.floor(receivedAt / minuteMs)} ${zone}`;
    const day = days.get(key) ?? DateTime.fromMillis(receivedAt, { zone }).toISODate() ?? '1970-01-01';
    days.set(key, day);
    return day;
  };
  const later = new Map<string, number>();
  return raises
    .toReversed()
    .map((raise) => {
      const day = dayOf(raise.receivedAt, zoneOf(raise.alarm.projectId));
      const followers = later.get(day) ?? 0;
      later.set(day, followers + 1);
      return { ...raise, day, followers };
    })
    .toReversed();
};

/** Reserves the numbers, and the ids if another alarm of this draft refers to one of these. */
const reserve = async (
  batch: Batch,
  raises: readonly Unnumbered[],
  all: Iterable<ActiveAlarm>,
): Promise<void> => {
  const counts = new Map<string, number>();
  for (const { day } of raises) counts.set(day, (counts.get(day) ?? 0) + 1);
  const values = [[...counts.keys()], [...counts.values()]];
  batch.add({ name: 'alarm-numbers', text: takeNumbers, values });
  const fresh = new Set(raises.map(({ alarm }) => alarm));
  if (![...all].some(({ parent }) => parent !== null && fresh.has(parent))) return;
  const ids = batch.add<number[]>({ name: 'alarm-ids', text: takeIds, values: [raises.length] });
  await batch.send();
  for (const [index, { alarm }] of raises.entries()) alarm.id = ids.value[index] ?? 0;
};

const rowOf = (raise: Insertable, steps: number, eventId: string | null) => {
  const { alarm } = raise;
  return {
    line_id: alarm.lineId,
    id: alarm.id === 0 ? null : alarm.id,
    device_id: alarm.deviceId,
    project_id: alarm.projectId,
    part_id: alarm.partId,
    code: alarm.code,
    phase: alarm.phase,
    level: alarm.level,
    severity: alarm.severity,
    source: alarm.source,
    event_id: eventId,
    work_order: 'workOrder' in raise ? raise.workOrder : null,
    raised_at: iso(alarm.raisedAt),
    received_at: iso(raise.receivedAt),
    last_at: iso(alarm.lastAt),
    cleared_at: iso(alarm.clearedAt),
    normal_at: iso(alarm.normalAt),
    latched: alarm.latched,
    suppressed_by: alarm.parent?.id ?? null,
    occurrences: 1 + alarm.unwritten,
    value: real(alarm.value),
    peak: real(alarm.peak),
    threshold: real(alarm.threshold),
    value_type: valueTypeOf(alarm),
    snapshot: raise.snapshot(),
    original: parsed(raise.original),
    late: alarm.late,
    tags: alarm.tags,
    revision: Math.max(1, steps),
    boot: alarm.boot,
    unit: alarm.unit,
    previous_id: alarm.previousId,
    open_events: toStored(alarm),
  };
};
const valueTypeOf = (alarm: ActiveAlarm) => {
  // The value of an outage of a whole project is the share of its affected devices.
  if (alarm.lineId < 0) return valueTypes.percent;
  if (isOfContacts(alarm)) return valueTypes.ampere;
  return alarmTypeOf(alarm.code)?.valueType ?? valueTypes.state;
};

/** Steps of alarm histories; `back` counts from the last one, which is the row's new revision. */
const steps = (parameter: string, key: string) => `jsonb_to_recordset(${parameter}::jsonb)
      as h (${key}, back int, at timestamptz, kind text, data jsonb)`;
const stepRows = (key: object, all: readonly HistoryStep[]) =>
  all.map((step, index) => ({
    ...key,
    back: all.length - 1 - index,
    at: iso(step.at),
    kind: step.kind,
    data: step.data,
  }));
/**
 * Has the notices of these alarms planned, in the transaction that writes the alarms: an alarm that ends or is
 * handled before the planner sees it is announced, or its deliveries say why not.
 */
const askForNotices = (table: string, condition: string, level = 'alarm_notices.level'): string => `
    insert into alarm_notices (alarm_id, line_id, level, urged, checked_at, next_at)
    select id, line_id, 0, 0, received_at, received_at from ${table} where ${condition} order by line_id, id
    on conflict (alarm_id) do update set next_at = excluded.next_at, level = ${level}`;
const facts = `line_id, device_id, project_id, part_id, code, phase, level, severity, source, event_id,
  raised_at, received_at, last_at, cleared_at, normal_at, latched, suppressed_by, occurrences, value,
  peak, threshold, value_type, snapshot, original, late, tags, revision, boot, unit,
  previous_id, open_events`;
/** The draft has reserved the last numbers of the day and locked the day's row. */
const number = `(select last from work_orders where day = ($2::date[])[r.ordinality]) - ($3::int[])[r.ordinality]`;
const insert = `with given as materialized (
    select ${facts}, id, work_order, ordinality as k, ($2::date[])[ordinality] as day, (${number})::text as number
    from jsonb_populate_recordset(null::alarms, $1::jsonb) with ordinality as r
  ), numbered as materialized (
    select ${facts}, k, coalesce(id, nextval('alarm_ids')) as id, coalesce(work_order,
      'W' || to_char(day, 'YYYYMMDD') || lpad(number, greatest(6, length(number)), '0')) as work_order
    from given order by k
  ), added as (
    insert into alarms (id, work_order, ${facts})
    select id, work_order, ${facts} from numbered order by line_id, id
    on conflict do nothing
    returning id, line_id, revision, code, level, severity, processed, suppressed_by, raised_at, received_at
  ), noted as (
    ${noteChangedDays('added')}
  ), announced as (
    ${askForNotices('added', unexplainedSql('added'))}
  ), tallied as (
    insert into alarm_tallies (code, level, severity, processed, n)
    select code, level, severity, processed, count(*) from added where ${unexplainedSql('added')} group by 1, 2, 3, 4
  ), history as (
    insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
    select numbered.line_id, id, added.revision - h.back, h.at, h.kind, h.data
    from ${steps('$4', 'k bigint')} join numbered using (k) join added using (id)
    order by numbered.line_id, id, h.back desc
  )
  select json_agg(json_build_array(numbered.id, numbered.work_order, added.id is not null) order by k)
  from numbered left join added on added.id = numbered.id`;

/**
 * Adds the rows of raises to a batch. Returns a function that assigns each raise's number after the batch was
 * sent.
 */
const addRaises = (
  batch: Batch,
  raises: readonly Insertable[],
  stepsOf: ReadonlyMap<ActiveAlarm, readonly HistoryStep[]>,
  withEvent: boolean,
): (() => { stored: Numbered[]; refused: Numbered[] }) => {
  if (raises.length === 0) return () => ({ stored: [], refused: [] });
  const rows = raises.map((raise) =>
    rowOf(raise, stepsOf.get(raise.alarm)?.length ?? 1, withEvent ? raise.alarm.eventId : null),
  );
  const days = raises.map((raise) => ('day' in raise ? raise.day : null));
  const followers = raises.map((raise) => ('day' in raise ? raise.followers : null));
  const history = raises.flatMap(({ alarm }, index) => stepRows({ k: index + 1 }, stepsOf.get(alarm) ?? []));
  const answer = batch.add<[id: number, workOrder: string, isStored: boolean][]>({
    name: 'alarm-insert',
    text: insert,
    values: [json(rows), days, followers, json(history)],
  });
  return () => {
    const { value } = answer;
    const numbered = raises.map((raise, index) => {
      const [id = 0, workOrder = '', isStored = false] = value[index] ?? [];
      raise.alarm.id = id;
      return { ...raise, id, workOrder, isStored };
    });
    const { stored = [], refused = [] } = Object.groupBy(numbered, ({ isStored }) =>
      isStored ? 'stored' : 'refused',
    );
    return { stored, refused };
  };
};

const standing = `select ${activeColumns}
  from alarms a join jsonb_to_recordset($1::jsonb) as r (line_id int, phase smallint, code smallint)
    using (line_id, phase, code)
  where a.cleared_at is null order by a.line_id, a.id for update of a`;
const sameEvent = `select a.line_id, a.event_id, a.code, a.raised_at, a.cleared_at, a.previous_id is not null as follows
  from alarms a join jsonb_to_recordset($1::jsonb) as r (line_id int, event_id text) using (line_id, event_id)`;

/**
 * A trip ends the shelving of its cause, which is announced again: the user who shelved it has not seen the trip.
 *
 * Each row is found by its key, even with a plan that was made while the table was small: the join uses an
 * array and not a set, for which the planner expects 100 rows, and the locked row is checked for being
 * active, so that no index of active alarms is read completely.
 */
const update = `with r as materialized (
    select given.*, a.level as level_before, a.severity as severity_before, a.suppressed_by as suppressed_before,
      'trip' = any(given.tags) and not 'trip' = any(a.tags) as trips, a.cleared_at as ended_before
    from (
      select r.* from unnest($1::jsonb[]) as given, jsonb_to_record(given) as r (line_id int, id bigint, level smallint,
        severity smallint, source text, event_id text, last_at timestamptz, cleared_at timestamptz, normal_at timestamptz,
        latched boolean, suppressed_by bigint, occurrences int, value real, peak real, threshold real, late boolean,
        tags text[], steps int, boot bigint, unit text, gives_event boolean,
        open_events jsonb)
      order by line_id, id) given
    cross join lateral (select level, severity, suppressed_by, cleared_at, tags from alarms a
      where a.line_id = given.line_id and a.id = given.id for update) a
  ), updated as (update alarms a set
    level = greatest(a.level, r.level), severity = least(a.severity, r.severity), source = r.source,
    event_id = case when r.gives_event then null when r.event_id is null or a.event_id is not null or exists (
      select 1 from alarms other where other.line_id = r.line_id and other.event_id = r.event_id)
      then a.event_id else r.event_id end,
    last_at = greatest(a.last_at, r.last_at), cleared_at = r.cleared_at, normal_at = r.normal_at,
    latched = r.latched, suppressed_by = r.suppressed_by, occurrences = a.occurrences + r.occurrences,
    value = r.value, peak = r.peak, threshold = r.threshold, late = r.late, tags = r.tags,
    boot = r.boot, unit = r.unit, open_events = r.open_events, revision = a.revision + r.steps
  from r
  where a.line_id = r.line_id and a.id = r.id and r.ended_before is null
  returning a.id, a.line_id, a.revision, a.code, a.severity, a.processed, a.level, a.suppressed_by, a.raised_at,
    a.received_at, r.level_before, r.severity_before, r.suppressed_before, r.trips
  ), unshelved as (
    ${endShelvingSql('updated', 'updated.trips')}
  ), noted as (
    ${noteChangedDays(
      'updated',
      'level <> level_before or severity <> severity_before or suppressed_by is distinct from suppressed_before',
    )}
  ), announced as (
    ${askForNotices(
      'updated',
      `${unexplainedSql('updated')} and (suppressed_before is not null or trips)`,
      'case when excluded.alarm_id in (select alarm_id from unshelved) then 0 else alarm_notices.level end',
    )}
  ), tallied as (
    insert into alarm_tallies (code, level, severity, processed, n)
    select code, level, severity, processed, sum(n) from (
      select code, level_before as level, severity_before as severity, processed, -1 as n from updated where suppressed_before is null
      union all
      select code, level, severity, processed, 1 from updated where ${unexplainedSql('updated')}) change
    group by 1, 2, 3, 4 having sum(n) <> 0
  ), history as (
    insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
    select h.line_id, h.id, updated.revision - h.back, h.at, h.kind, h.data
    from ${steps('$2', 'line_id int, id bigint')} join updated using (id) order by h.line_id, h.id, h.back desc
  )
  select coalesce(json_agg(json_build_array(id, processed)), '[]') from updated`;

/** The end of the right episode counts, even if the end of a similar episode was first taken for it. */
const endings = `with r as (
    select line_id, code, event_id, max(at) as at
    from jsonb_to_recordset($1::jsonb) as r (line_id int, code smallint, event_id text, at timestamptz) group by 1, 2, 3
  ), done as (
    update alarms a set cleared_at = greatest(r.at, a.raised_at), last_at = greatest(r.at, a.raised_at),
      revision = a.revision + 1
    from r where a.line_id = r.line_id and a.event_id = r.event_id and a.code = r.code
      and (a.cleared_at is null or a.cleared_at > r.at or (a.cleared_at = a.raised_at and r.at > a.raised_at))
    returning a.line_id, a.id, a.revision, a.cleared_at
  )
  insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
  select line_id, id, revision, cleared_at, 'cleared', '{"by":"device"}' from done`;

/** Removes it from the lists, unless a user has handled it meanwhile; the row stays for direct links. */
const fleeting = `with gone as (
    update alarms set deleted_at = $2 where (line_id, id) in (
      select line_id, id from jsonb_to_recordset($1::jsonb) as r (line_id int, id bigint))
      and not processed and ${notDeletedSql('alarms')}
    returning code, level, severity, processed, suppressed_by, raised_at
  ), noted as (
    ${noteChangedDays('gone')}
  )
  insert into alarm_tallies (code, level, severity, processed, n)
  select code, level, severity, processed, -count(*) from gone where ${unexplainedSql('gone')} group by 1, 2, 3, 4`;

const eventLines = `insert into alarm_events (line_id, at, code, phase, level, kind, value, threshold, event_id)
  select line_id, at, code, phase, level, kind, value, threshold, event_id
  from jsonb_populate_recordset(null::alarm_events, $1::jsonb) on conflict do nothing`;

/** Late readings are judged when all of them have arrived. */
const lateStretches = `insert into late_stretches as s (line_id, since, until, first_received_at, last_received_at)
  select line_id, since, until, received_at, received_at
  from jsonb_to_recordset($1::jsonb) as r (line_id int, since timestamptz, until timestamptz, received_at timestamptz)
  order by line_id
  on conflict (line_id) do update set since = least(s.since, excluded.since), until = greatest(s.until, excluded.until),
    last_received_at = greatest(s.last_received_at, excluded.last_received_at)`;

/**
 * Runs in the caller's transaction; the alarms get their ids. Throws database errors. The usual case is one
 * round trip, which includes the statements already in the batch.
 */
export const writeDraft = async (
  batch: Batch,
  draft: Draft,
  zoneOf: (projectId: number | null) => string,
): Promise<Written> => {
  const adopted = new Map<ActiveAlarm, { level: 1 | 2; raisedAt: number }>();
  const dropped = new Set<ActiveAlarm>();
  const stepsOf = Map.groupBy(draft.steps, (step) => step.alarm);
  const written = new Set<ActiveAlarm>();
  const overlooked: Overlooked[] = [];
  const handled: ActiveAlarm[] = [];
  const unknown: ActiveRow[] = [];
  const outcome = { adopted, dropped, written, renewed: draft.renewed, handled };
  const raises = withDays(draft.raises, zoneOf);
  const fresh = new Set(raises.map((raise) => raise.alarm));
  const known = new Set([...draft.touched].filter((alarm) => !fresh.has(alarm)));
  const counted = new Map([...known, ...fresh].map((alarm) => [alarm, alarm.unwritten]));
  if (raises.length > 0) await reserve(batch, raises, counted.keys());
  // Known rows first: the end of an alarm allows the next one of the same line, phase and code.
  const settleChanges = addChanges(batch, known, stepsOf, outcome);
  const settleRaises = addRaises(batch, raises, stepsOf, true);
  if (raises.length > 0 || known.size > 0) await batch.send();
  settleChanges();
  for (const alarm of known) written.add(alarm);
  const { stored, refused } = settleRaises();
  for (const { alarm } of stored) written.add(alarm);
  if (refused.length > 0) {
    const again = await settleRefused(batch, refused, { adopted, dropped, overlooked, unknown });
    const settleAgain = addRaises(batch, again, stepsOf, false);
    await batch.send();
    const second = settleAgain();
    for (const { alarm } of second.refused) dropped.add(alarm);
    for (const { alarm } of second.stored) written.add(alarm);
  }
  const effects = [...written].filter(
    (alarm) => alarm.parent && adopted.has(alarm.parent) && !dropped.has(alarm),
  );
  const settleEffects = addChanges(batch, new Set([...adopted.keys(), ...effects]), stepsOf, outcome);
  if (adopted.size + effects.length > 0) await batch.send();
  settleEffects();
  writeBeside(batch, draft, dropped);
  return { adopted, dropped, overlooked, handled, unknown, counted };
};

/**
 * Everything except alarm rows: ends before their beginning, alarms shorter than two seconds, late stretches,
 * log entries.
 */
const writeBeside = (batch: Batch, draft: Draft, dropped: ReadonlySet<ActiveAlarm>): void => {
  if (draft.endings.length > 0)
    batch.add({
      name: 'alarm-endings',
      text: endings,
      values: [
        json(
          draft.endings.map((ending) => ({
            line_id: ending.lineId,
            code: ending.code,
            event_id: ending.eventId,
            at: iso(ending.at),
          })),
        ),
      ],
    });
  const brief = [...draft.fleeting].filter((alarm) => !dropped.has(alarm));
  if (brief.length > 0)
    batch.add({
      name: 'alarm-fleeting',
      text: fleeting,
      values: [
        json(brief.map((alarm) => ({ line_id: alarm.lineId, id: alarm.id }))),
        iso(Math.max(...brief.map((alarm) => alarm.lastAt))),
      ],
    });
  if (draft.late.size > 0)
    batch.add({
      name: 'alarm-late',
      text: lateStretches,
      values: [
        json(
          [...draft.late].map(([line_id, { since, until, receivedAt }]) => ({
            line_id,
            since: iso(since),
            until: iso(until),
            received_at: iso(receivedAt),
          })),
        ),
      ],
    });
  if (draft.eventLines.length > 0)
    batch.add({
      name: 'alarm-event-lines',
      text: eventLines,
      values: [
        json(
          draft.eventLines.map(({ lineId, eventId, at, value, threshold, ...line }) => ({
            ...line,
            line_id: lineId,
            event_id: eventId,
            at: iso(at),
            value: real(value),
            threshold: real(threshold),
          })),
        ),
      ],
    });
};

/**
 * Rows that a unique index refused: the same alarm is already active, the same event was stored, or only its
 * id was used.
 */
const settleRefused = async (
  batch: Batch,
  refused: readonly Numbered[],
  {
    adopted,
    dropped,
    overlooked,
    unknown,
  }: {
    adopted: Map<ActiveAlarm, { level: 1 | 2; raisedAt: number }>;
    dropped: Set<ActiveAlarm>;
    overlooked: Overlooked[];
    unknown: ActiveRow[];
  },
): Promise<Numbered[]> => {
  const keys = refused.map(({ alarm }) => ({
    line_id: alarm.lineId,
    phase: alarm.phase,
    code: alarm.code,
    event_id: alarm.eventId,
  }));
  const rows = await batch.query<ActiveRow>(standing, [json(keys)], 'alarm-standing');
  const events = await batch.query<{
    line_id: number;
    event_id: string;
    code: number;
    raised_at: Date;
    cleared_at: Date | null;
    follows: boolean;
  }>(sameEvent, [json(keys)]);
  const again: Numbered[] = [];
  for (const raise of refused) {
    const { alarm } = raise;
    const row = rows.find(
      (found) => found.line_id === alarm.lineId && found.phase === alarm.phase && found.code === alarm.code,
    );
    const stored = events.find(
      (found) =>
        found.line_id === alarm.lineId &&
        found.event_id === alarm.eventId &&
        found.code === alarm.code &&
        (found.raised_at.getTime() === alarm.raisedAt ||
          (found.follows && found.raised_at.getTime() > alarm.raisedAt)),
    );
    if (row && alarm.clearedAt === null) {
      const knowsEvents = row.event_id === alarm.eventId && row.open_events === null;
      if (row.processed || row.level < alarm.level || !knowsEvents) unknown.push(row);
      adopted.set(alarm, { level: row.level, raisedAt: row.raised_at.getTime() });
      alarm.id = row.id;
    } else if (stored) {
      dropped.add(alarm);
      if (alarm.clearedAt === null && stored.cleared_at !== null)
        overlooked.push({
          lineId: stored.line_id,
          code: stored.code,
          eid: stored.event_id,
          boot: alarm.boot ?? 0,
          at: stored.cleared_at.getTime(),
        });
    } else again.push(raise);
  }
  return again;
};

/**
 * Adds the changes of known rows to a batch. Returns a function that finds, after the batch was sent, which
 * rows are no longer active.
 */
const addChanges = (
  batch: Batch,
  changed: ReadonlySet<ActiveAlarm>,
  stepsOf: ReadonlyMap<ActiveAlarm, readonly HistoryStep[]>,
  outcome: {
    adopted: ReadonlyMap<ActiveAlarm, unknown>;
    dropped: Set<ActiveAlarm>;
    /** Alarms that this transaction has already written: only their references to other rows change. */
    written: ReadonlySet<ActiveAlarm>;
    renewed: ReadonlySet<ActiveAlarm>;
    handled: ActiveAlarm[];
  },
): (() => void) => {
  if (changed.size === 0) return () => {};
  const newSteps = (alarm: ActiveAlarm) =>
    outcome.written.has(alarm) ? [] : writable(stepsOf.get(alarm), outcome.adopted.has(alarm));
  const history = [...changed].flatMap((alarm) =>
    stepRows({ line_id: alarm.lineId, id: alarm.id }, newSteps(alarm)),
  );
  const rows = [...changed].map((alarm) => ({
    line_id: alarm.lineId,
    id: alarm.id,
    level: alarm.level,
    severity: alarm.severity,
    source: alarm.source,
    event_id: alarm.eventId,
    last_at: iso(alarm.lastAt),
    cleared_at: iso(alarm.clearedAt),
    normal_at: iso(alarm.normalAt),
    latched: alarm.latched,
    suppressed_by: alarm.parent?.id ?? null,
    occurrences: outcome.written.has(alarm) ? 0 : alarm.unwritten + (outcome.adopted.has(alarm) ? 1 : 0),
    value: real(alarm.value),
    peak: real(alarm.peak),
    threshold: real(alarm.threshold),
    late: alarm.late,
    tags: alarm.tags,
    boot: alarm.boot,
    unit: alarm.unit,
    open_events: alarm.clearedAt === null ? toStored(alarm) : null,
    gives_event: alarm.eventId !== null && alarm.followedBy?.eventId === alarm.eventId,
    steps: outcome.written.has(alarm) ? 0 : Math.max(1, newSteps(alarm).length),
  }));
  const answer = batch.add<[id: number, processed: boolean][]>({
    name: 'alarm-update',
    text: update,
    values: [rows.map(json), json(history)],
  });
  return () => {
    const found = new Map(answer.value);
    for (const alarm of changed) {
      const processed = found.get(alarm.id);
      if (processed === undefined) outcome.dropped.add(alarm);
      else if (processed && outcome.renewed.has(alarm)) outcome.handled.push(alarm);
    }
  };
};

const writable = (steps: readonly HistoryStep[] | undefined, adopted: boolean): readonly HistoryStep[] =>
  (steps ?? []).filter((step) => !adopted || step.kind !== 'raised');
