/** Writes a draft inside the group's transaction: a few statements of many rows, rows in the order of line_id. */

import { DateTime } from 'luxon';
import type pg from 'pg';
import { alarmTypeOf, valueTypes } from '#contract/alarm-catalogue.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';
import { unexplainedSql } from '#server/core/unexplained.ts';
import { noteChangedDays } from '../closed-days.ts';
import type { Draft, HistoryStep, Raise } from './changes.ts';
import { type ActiveRow, activeColumns } from './load.ts';
import type { ActiveAlarm } from './memory.ts';
import { isOfContacts } from './open-with-current.ts';

export interface Overlooked {
  readonly lineId: number;
  readonly eventId: string;
  /** When it ended. */
  readonly at: number;
}
export interface Written {
  /** Raised in memory, but a row for the same line, phase and code was active already: it is that alarm. */
  readonly adopted: ReadonlyMap<ActiveAlarm, { level: 1 | 2; raisedAt: number }>;
  /** Changed in memory, but the row no longer exists or is no longer active. */
  readonly dropped: ReadonlySet<ActiveAlarm>;
  /**
   * Raised as active, though rows show that these episodes of devices had ended; what was taken for them is not
   * evaluated.
   */
  readonly overlooked: readonly Overlooked[];
  /** Alarms with news that were taken for unprocessed, though an operator has handled them. */
  readonly handled: readonly ActiveAlarm[];
  /** Active rows that memory did not know and that are processed or of a lower level: to be known first. */
  readonly unknown: readonly ActiveRow[];
  /** Occurrences that are now counted. */
  readonly counted: ReadonlyMap<ActiveAlarm, number>;
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
/** A number that fits a `real` column. */
const real = (value: number | null) => {
  const narrow = value === null ? Number.NaN : Math.fround(value);
  return Number.isFinite(narrow) ? narrow : null;
};
/** JSON that PostgreSQL's jsonb takes: it knows neither NUL nor half a surrogate pair. */
const json = (value: unknown) => JSON.stringify(value).replace(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');
const parsed = (bytes: Buffer | null): unknown => {
  if (bytes === null) return null;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return { base64: bytes.toString('base64') };
  }
};

interface Numbered extends Raise {
  readonly id: number;
  readonly workOrder: string;
}

const numbers = `with numbers as (
    insert into work_orders (day, last)
    select day, n from unnest($1::date[], $2::int[]) as given (day, n) order by day
    on conflict (day) do update set last = work_orders.last + excluded.last
    returning day::text, last
  )
  select (select json_agg(nextval('alarm_ids')) from generate_series(1, $3::int)) as ids,
    (select json_agg(numbers) from numbers) as numbers`;

/** Ids and work order numbers; the number counts up within the project's calendar day of receipt. */
const numbered = async (
  client: pg.ClientBase,
  raises: readonly Raise[],
  zoneOf: (projectId: number | null) => string,
): Promise<Numbered[]> => {
  const days = raises.map(
    ({ alarm, receivedAt }) =>
      DateTime.fromMillis(receivedAt, { zone: zoneOf(alarm.projectId) }).toISODate() ?? '1970-01-01',
  );
  const counts = new Map<string, number>();
  for (const day of days) counts.set(day, (counts.get(day) ?? 0) + 1);
  const given = await client.query<{ ids: number[]; numbers: { day: string; last: number }[] }>({
    name: 'alarm-numbers',
    text: numbers,
    values: [[...counts.keys()], [...counts.values()], raises.length],
  });
  const ids = given.rows[0]?.ids ?? [];
  const next = new Map(given.rows[0]?.numbers.map(({ day, last }) => [day, last - (counts.get(day) ?? 0)]));
  return raises.map((raise, index) => {
    const day = days[index] ?? '';
    const number = (next.get(day) ?? 0) + 1;
    next.set(day, number);
    const workOrder = `W${day.replaceAll('-', '')}${String(number).padStart(6, '0')}`;
    return { ...raise, id: ids[index] ?? 0, workOrder };
  });
};

const rowOf = (raise: Numbered, steps: number, eventId: string | null) => {
  const { alarm } = raise;
  return {
    line_id: alarm.lineId,
    id: raise.id,
    device_id: alarm.deviceId,
    project_id: alarm.projectId,
    part_id: alarm.partId,
    code: alarm.code,
    phase: alarm.phase,
    level: alarm.level,
    severity: alarm.severity,
    source: alarm.source,
    event_id: eventId,
    work_order: raise.workOrder,
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
  };
};
const valueTypeOf = (alarm: ActiveAlarm) => {
  // Of a whole project: how many of its devices are concerned.
  if (alarm.lineId < 0) return valueTypes.percent;
  if (isOfContacts(alarm)) return valueTypes.ampere;
  return alarmTypeOf(alarm.code)?.valueType ?? valueTypes.state;
};

/** Steps of alarms' histories; `back` counts from the last one, which makes the row's new revision. */
const steps = (parameter: string) => `jsonb_to_recordset(${parameter}::jsonb)
      as h (line_id int, id bigint, back int, at timestamptz, kind text, data jsonb)`;
const stepRows = (alarm: ActiveAlarm, told: readonly HistoryStep[]) =>
  told.map((step, index) => ({
    line_id: alarm.lineId,
    id: alarm.id,
    back: told.length - 1 - index,
    at: iso(step.at),
    kind: step.kind,
    data: step.data,
  }));
const columns = `line_id, id, device_id, project_id, part_id, code, phase, level, severity, source, event_id,
  work_order, raised_at, received_at, last_at, cleared_at, normal_at, latched, suppressed_by, occurrences, value,
  peak, threshold, value_type, snapshot, original, late, tags, revision, boot, unit,
  previous_id`;
const insert = `with added as (
    insert into alarms (${columns})
    select ${columns} from jsonb_populate_recordset(null::alarms, $1::jsonb) order by line_id, id
    on conflict do nothing returning id, revision, code, level, severity, processed, suppressed_by, raised_at
  ), noted as (
    ${noteChangedDays('added')}
  ), tallied as (
    insert into alarm_tallies (code, level, severity, processed, n)
    select code, level, severity, processed, count(*) from added where ${unexplainedSql('added')} group by 1, 2, 3, 4
  ), told as (
    insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
    select h.line_id, h.id, added.revision - h.back, h.at, h.kind, h.data
    from ${steps('$2')} join added using (id) order by h.line_id, h.id, h.back desc
  )
  select id from added`;

const inserted = async (
  client: pg.ClientBase,
  raises: readonly Numbered[],
  stepsOf: ReadonlyMap<ActiveAlarm, readonly HistoryStep[]>,
  withEvent: boolean,
): Promise<Set<number>> => {
  if (raises.length === 0) return new Set();
  const rows = raises.map((raise) =>
    rowOf(raise, stepsOf.get(raise.alarm)?.length ?? 1, withEvent ? raise.alarm.eventId : null),
  );
  const told = raises.flatMap(({ alarm }) => stepRows(alarm, stepsOf.get(alarm) ?? []));
  const done = await client.query<{ id: number }>({
    name: 'alarm-insert',
    text: insert,
    values: [json(rows), json(told)],
  });
  return new Set(done.rows.map((row) => row.id));
};

const standing = `select ${activeColumns('a')}
  from alarms a join jsonb_to_recordset($1::jsonb) as r (line_id int, phase smallint, code smallint)
    using (line_id, phase, code)
  where a.cleared_at is null order by a.line_id, a.id for update of a`;
const sameEvent = `select a.line_id, a.event_id, a.code, a.raised_at, a.cleared_at, a.previous_id is not null as follows
  from alarms a join jsonb_to_recordset($1::jsonb) as r (line_id int, event_id text) using (line_id, event_id)`;

const update = `with r as (
    select * from jsonb_to_recordset($1::jsonb) as r (line_id int, id bigint, level smallint, severity smallint, source text,
      event_id text, last_at timestamptz, cleared_at timestamptz, normal_at timestamptz, latched boolean,
      suppressed_by bigint, occurrences int, value real, peak real, threshold real, late boolean, tags text[], steps int,
      boot bigint, unit text, gives_event boolean)
  ), locked as materialized (
    select a.line_id, a.id, a.level, a.severity, a.suppressed_by
    from alarms a join r using (line_id, id) order by a.line_id, a.id for update of a
  ), updated as (update alarms a set
    level = greatest(a.level, r.level), severity = least(a.severity, r.severity), source = r.source,
    event_id = case when r.gives_event then null when r.event_id is null or a.event_id is not null or exists (
      select 1 from alarms other where other.line_id = r.line_id and other.event_id = r.event_id)
      then a.event_id else r.event_id end,
    last_at = greatest(a.last_at, r.last_at), cleared_at = r.cleared_at, normal_at = r.normal_at,
    latched = r.latched, suppressed_by = r.suppressed_by, occurrences = a.occurrences + r.occurrences,
    value = r.value, peak = r.peak, threshold = r.threshold, late = r.late, tags = r.tags,
    boot = r.boot, unit = r.unit, revision = a.revision + r.steps
  from r join locked using (line_id, id)
  where a.line_id = r.line_id and a.id = r.id and a.cleared_at is null
  returning a.id, a.revision, a.code, a.severity, a.processed, a.level, a.suppressed_by, a.raised_at,
    locked.level as level_before, locked.severity as severity_before, locked.suppressed_by as suppressed_before
  ), noted as (
    ${noteChangedDays(
      'updated',
      'level <> level_before or severity <> severity_before or suppressed_by is distinct from suppressed_before',
    )}
  ), tallied as (
    insert into alarm_tallies (code, level, severity, processed, n)
    select code, level, severity, processed, sum(n) from (
      select code, level_before as level, severity_before as severity, processed, -1 as n from updated where suppressed_before is null
      union all
      select code, level, severity, processed, 1 from updated where ${unexplainedSql('updated')}) change
    group by 1, 2, 3, 4 having sum(n) <> 0
  ), told as (
    insert into alarm_history (line_id, alarm_id, seq, at, kind, data)
    select h.line_id, h.id, updated.revision - h.back, h.at, h.kind, h.data
    from ${steps('$2')} join updated using (id) order by h.line_id, h.id, h.back desc
  )
  select id, processed from updated`;

/** An episode's own end counts, also where another one of the same kind was taken for it. */
const endings = `with r as (
    select line_id, event_id, max(at) as at
    from jsonb_to_recordset($1::jsonb) as r (line_id int, event_id text, at timestamptz) group by 1, 2
  ), done as (
    update alarms a set cleared_at = greatest(r.at, a.raised_at), last_at = greatest(r.at, a.raised_at),
      revision = a.revision + 1
    from r where a.line_id = r.line_id and a.event_id = r.event_id
      and (a.cleared_at is null or a.cleared_at > r.at or (a.cleared_at = a.raised_at and r.at > a.raised_at))
    returning a.line_id, a.id, a.revision, a.cleared_at
  )
  insert into alarm_history (line_id, alarm_id, seq, at, kind)
  select line_id, id, revision, cleared_at, 'cleared' from done`;

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

/** What came late is judged when all of it is there. */
const lateStretches = `insert into late_stretches as s (line_id, since, until, first_received_at, last_received_at)
  select line_id, since, until, received_at, received_at
  from jsonb_to_recordset($1::jsonb) as r (line_id int, since timestamptz, until timestamptz, received_at timestamptz)
  order by line_id
  on conflict (line_id) do update set since = least(s.since, excluded.since), until = greatest(s.until, excluded.until),
    last_received_at = greatest(s.last_received_at, excluded.last_received_at)`;

/** Runs in the caller's transaction; ids become known to the alarms themselves. Throws what the database throws. */
export const writeDraft = async (
  client: pg.ClientBase,
  draft: Draft,
  zoneOf: (projectId: number | null) => string,
): Promise<Written> => {
  const adopted = new Map<ActiveAlarm, { level: 1 | 2; raisedAt: number }>();
  const dropped = new Set<ActiveAlarm>();
  const stepsOf = Map.groupBy(draft.steps, (step) => step.alarm);
  // Known rows first: an alarm that ends makes room for the next one of the same line, phase and code.
  const written = new Set<ActiveAlarm>();
  const overlooked: Overlooked[] = [];
  const handled: ActiveAlarm[] = [];
  const unknown: ActiveRow[] = [];
  const outcome = { adopted, dropped, written, renewed: draft.renewed, handled };
  const raises = draft.raises.length === 0 ? [] : await numbered(client, draft.raises, zoneOf);
  for (const raise of raises) raise.alarm.id = raise.id;
  const fresh = new Set(raises.map((raise) => raise.alarm));
  const known = new Set([...draft.touched].filter((alarm) => !fresh.has(alarm)));
  const counted = new Map([...known, ...fresh].map((alarm) => [alarm, alarm.unwritten]));
  await applyChanges(client, known, stepsOf, outcome);
  for (const alarm of known) written.add(alarm);
  if (raises.length > 0) {
    const done = await inserted(client, raises, stepsOf, true);
    const refused = raises.filter((raise) => !done.has(raise.id));
    const again = await settleRefused(client, refused, { adopted, dropped, overlooked, unknown });
    const second = await inserted(client, again, stepsOf, false);
    for (const raise of again) if (!second.has(raise.id)) dropped.add(raise.alarm);
    for (const alarm of fresh) {
      if (adopted.has(alarm) || dropped.has(alarm)) continue;
      written.add(alarm);
    }
    const effects = [...written].filter(
      (alarm) => alarm.parent && adopted.has(alarm.parent) && !dropped.has(alarm),
    );
    await applyChanges(client, new Set([...adopted.keys(), ...effects]), stepsOf, outcome);
  }
  await writeBeside(client, draft, dropped);
  return { adopted, dropped, overlooked, handled, unknown, counted };
};

/** What is not an alarm's own row: ends before their beginning, alarms of a moment, late stretches, lines of the log. */
const writeBeside = async (
  client: pg.ClientBase,
  draft: Draft,
  dropped: ReadonlySet<ActiveAlarm>,
): Promise<void> => {
  if (draft.endings.length > 0)
    await client.query({
      name: 'alarm-endings',
      text: endings,
      values: [
        json(
          draft.endings.map((ending) => ({
            line_id: ending.lineId,
            event_id: ending.eventId,
            at: iso(ending.at),
          })),
        ),
      ],
    });
  const brief = [...draft.fleeting].filter((alarm) => !dropped.has(alarm));
  if (brief.length > 0)
    await client.query({
      name: 'alarm-fleeting',
      text: fleeting,
      values: [
        json(brief.map((alarm) => ({ line_id: alarm.lineId, id: alarm.id }))),
        iso(Math.max(...brief.map((alarm) => alarm.lastAt))),
      ],
    });
  if (draft.late.size > 0)
    await client.query({
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
    await client.query({
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
 * Rows that a unique index refused: the same alarm is active already, the same event was stored, or only its id was
 * taken.
 */
const settleRefused = async (
  client: pg.ClientBase,
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
  if (refused.length === 0) return [];
  const keys = refused.map(({ alarm }) => ({
    line_id: alarm.lineId,
    phase: alarm.phase,
    code: alarm.code,
    event_id: alarm.eventId,
  }));
  const rows = (
    await client.query<ActiveRow>({ name: 'alarm-standing', text: standing, values: [json(keys)] })
  ).rows;
  const events = (
    await client.query<{
      line_id: number;
      event_id: string;
      code: number;
      raised_at: Date;
      cleared_at: Date | null;
      follows: boolean;
    }>(sameEvent, [json(keys)])
  ).rows;
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
      if (row.processed || row.level < alarm.level) unknown.push(row);
      adopted.set(alarm, { level: row.level, raisedAt: row.raised_at.getTime() });
      alarm.id = row.id;
    } else if (stored) {
      dropped.add(alarm);
      if (alarm.clearedAt === null && stored.cleared_at !== null)
        overlooked.push({
          lineId: stored.line_id,
          eventId: stored.event_id,
          at: stored.cleared_at.getTime(),
        });
    } else again.push(raise);
  }
  return again;
};

const applyChanges = async (
  client: pg.ClientBase,
  changed: ReadonlySet<ActiveAlarm>,
  stepsOf: ReadonlyMap<ActiveAlarm, readonly HistoryStep[]>,
  outcome: {
    adopted: ReadonlyMap<ActiveAlarm, unknown>;
    dropped: Set<ActiveAlarm>;
    /** Written before in this transaction: only what refers to others changes. */
    written: ReadonlySet<ActiveAlarm>;
    renewed: ReadonlySet<ActiveAlarm>;
    handled: ActiveAlarm[];
  },
): Promise<void> => {
  if (changed.size === 0) return;
  const toldOf = (alarm: ActiveAlarm) =>
    outcome.written.has(alarm) ? [] : writable(stepsOf.get(alarm), outcome.adopted.has(alarm));
  const told = [...changed].flatMap((alarm) => stepRows(alarm, toldOf(alarm)));
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
    gives_event: alarm.eventId !== null && alarm.followedBy?.eventId === alarm.eventId,
    steps: outcome.written.has(alarm) ? 0 : Math.max(1, toldOf(alarm).length),
  }));
  const done = await client.query<{ id: number; processed: boolean }>({
    name: 'alarm-update',
    text: update,
    values: [json(rows), json(told)],
  });
  const found = new Map(done.rows.map((row) => [row.id, row.processed]));
  for (const alarm of changed) {
    const processed = found.get(alarm.id);
    if (processed === undefined) outcome.dropped.add(alarm);
    else if (processed && outcome.renewed.has(alarm)) outcome.handled.push(alarm);
  }
};

const writable = (steps: readonly HistoryStep[] | undefined, adopted: boolean): readonly HistoryStep[] =>
  (steps ?? []).filter((step) => !adopted || step.kind !== 'raised');
