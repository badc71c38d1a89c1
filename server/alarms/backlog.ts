/**
 * Readings of the time when a device was offline, judged after all of them have arrived. Each episode becomes
 * a log entry, never an alarm. Decision 0081. They may also show that an active alarm is another one than the one that
 * was handled. Decision 0558.
 */
import type pg from 'pg';
import { isLoggedWhenOff } from '#contract/alarm-traits.ts';
import { lineChannels } from '#contract/telemetry.ts';
import type { LineRef } from '#server/core/group.ts';
import { inTransaction } from '#server/core/in-transaction.ts';
import { flag } from '#server/core/reading-flags.ts';
import { every, type TimedWork } from '#server/core/scheduled.ts';
import { Draft } from './engine/changes.ts';
import { judgeReading } from './engine/evaluate-reading.ts';
import { checksOf } from './engine/limits.ts';
import { type ActiveAlarm, AlarmMemory } from './engine/memory.ts';
import { activeOf, noteReturns, searchReturns } from './engine/returns.ts';
import { judgedReading, lineRefOf, type StoredLine, storedLine } from './engine/stored-lines.ts';

/**
 * A backlog is complete when no reading has come for this time; an endless one is judged from time to time.
 */
const settledMs = 60_000;
const longestWaitMs = 15 * 60_000;
/** Longer than any delay: includes what began before the stretch and ends after it. */
const beforeMs = 2 * 3_600_000;
const afterMs = 3_600_000;
const linesAtOnce = 50;
const readingsAtOnce = 5000;
/** An alarm raised within this time of an episode reports that episode. */
const sameEpisodeMs = 60_000;

interface Stretch extends StoredLine {
  since: Date;
  until: Date;
}
interface StoredReading {
  at: Date;
  position: 0 | 1 | null;
  trip: number | null;
  flags: number | null;
  /** Receive time minus `at`, ms. */
  rx_ms: number;
  channels: (number | null)[];
}
interface Episode {
  line_id: number;
  code: number;
  phase: number;
  level: 1 | 2;
  at: Date;
  ended_at: Date | null;
  value: number | null;
  threshold: number | null;
}

export const backlogWork = (pool: pg.Pool): TimedWork => ({
  name: 'backlogs',
  next: every(settledMs),
  async run({ now, signal }) {
    const counts = { checked: 0, made: 0 };
    for (let claimed = linesAtOnce; claimed === linesAtOnce && !signal.aborted; ) {
      const made = await inTransaction(pool, async (client) => {
        const stretches = await claimSome(client, now);
        claimed = stretches.length;
        let found = 0;
        for (const stretch of stretches) found += await judgeStretch(client, stretch);
        return found;
      });
      counts.made += made;
      counts.checked += claimed;
    }
    return counts;
  },
});

/** Stretches that are complete. The claimer locks their rows until their episodes are written. */
const claimSome = async (client: pg.ClientBase, now: number): Promise<Stretch[]> => {
  const { rows } = await client.query<Stretch>(
    `with mine as (
       delete from late_stretches where line_id = any(array(
         select line_id from late_stretches where last_received_at <= $1 or first_received_at <= $2
         order by line_id limit ${linesAtOnce} for update skip locked)) returning *)
     select ${storedLine.columns}, mine.since, mine.until
     from mine join lines l on l.id = mine.line_id ${storedLine.joins}`,
    [new Date(now - settledMs), new Date(now - longestWaitMs)],
  );
  return rows;
};

/** Returns the number of episodes found. */
const judgeStretch = async (client: pg.ClientBase, stretch: Stretch): Promise<number> => {
  const since = await beginning(client, stretch);
  const until = stretch.until.getTime();
  const found = await episodesOf(client, stretch, { since, until });
  const { rows } = await client.query<{ code: number }>('select code from alarm_types where not enabled');
  const disabled = new Set(rows.map(({ code }) => code));
  const episodes = found.filter(({ code }) => !disabled.has(code) || isLoggedWhenOff(code));
  await client.query(forgetSql, [stretch.line_id, new Date(since), stretch.until]);
  if (episodes.length > 0) await client.query(writeSql, [JSON.stringify(episodes), sameEpisodeMs / 1000]);
  await findReturns(client, stretch);
  return episodes.length;
};

/** Beginning of the stretch, or of an episode that continues from an earlier part of the backlog. */
const beginning = async (client: pg.ClientBase, { line_id, since }: Stretch): Promise<number> => {
  const { rows } = await client.query<{ at: Date | null }>(
    `select min(e.at) as at from alarm_events e
     where e.line_id = $1 and e.late and e.kind = 'raised' and e.at < $2 and not exists (
       select from alarm_events c where c.line_id = e.line_id and c.event_id = e.event_id and c.code = e.code
         and c.phase = e.phase and c.kind = 'cleared' and c.at < $2)`,
    [line_id, since],
  );
  return (rows[0]?.at ?? since).getTime();
};

/** Evaluated in a separate memory, with the times at which the readings were measured. */
const episodesOf = async (
  client: pg.ClientBase,
  stretch: StoredLine,
  { since, until }: { since: number; until: number },
): Promise<Episode[]> => {
  const ref = lineRefOf(stretch);
  const watch = {
    state: new AlarmMemory().line(ref.lineId, ref.deviceId),
    checks: checksOf(ref, () => Number.POSITIVE_INFINITY),
    orphans: [],
  };
  const draft = new Draft(() => false);
  for await (const { at, position, trip, channels } of readingsOf(
    client,
    ref,
    since - beforeMs,
    until + afterMs,
  )) {
    const sample = { at: at.getTime(), position, trip, channels, faults: [] };
    judgeReading(draft, watch, judgedReading(ref, sample), () => true);
  }
  const rises = new Map(draft.steps.map(({ alarm, kind, at }) => [kind === 'escalated' ? alarm : null, at]));
  return draft.raises.flatMap(({ alarm }) => {
    const at = [alarm.raisedAt, rises.get(alarm)].find(
      (each) => each !== undefined && each >= since && each <= until,
    );
    // Consequences of another episode are not separate episodes.
    return at === undefined || alarm.parent !== null ? [] : [episodeOf(alarm, at)];
  });
};

/** Notes which active alarms of the line had ended in between. */
const findReturns = async (client: pg.ClientBase, stretch: Stretch): Promise<void> => {
  const active = await activeOf(client, stretch.line_id);
  const [first] = active;
  if (!first) return;
  const ref = lineRefOf(stretch);
  const search = searchReturns(
    ref,
    checksOf(ref, () => Number.POSITIVE_INFINITY),
    active,
  );
  const from = Math.max(stretch.since.getTime() - beforeMs, first.raised_at.getTime() - 1);
  const to = stretch.until.getTime() + afterMs;
  for await (const { at, rx_ms, flags, position, trip, channels } of readingsOf(client, ref, from, to)) {
    const bits = flags ?? 0;
    const faults =
      bits & flag.sensorFault ? channels.flatMap((value, index) => (value === null ? [index] : [])) : [];
    const reading = judgedReading(ref, { at: at.getTime(), position, trip, channels, faults });
    search.take({ ...reading, receivedAt: reading.at + rx_ms }, (bits & flag.backfilled) === 0);
  }
  await noteReturns(client, search.found());
};

/** The readings of a line between two times, in order, with all its channels. */
async function* readingsOf(client: pg.ClientBase, ref: LineRef, from: number, to: number) {
  const width = lineChannels[ref.type].length;
  for (let after: Date | null = new Date(from); after !== null; ) {
    const rows: StoredReading[] = await readingsAfter(client, ref.lineId, after, to);
    for (const row of rows)
      yield { ...row, channels: Array.from({ length: width }, (_, index) => row.channels[index] ?? null) };
    after = rows.length < readingsAtOnce ? null : (rows.at(-1)?.at ?? null);
  }
}

const readingsAfter = async (
  client: pg.ClientBase,
  lineId: number,
  after: Date,
  to: number,
): Promise<StoredReading[]> => {
  const { rows } = await client.query<StoredReading>({
    name: 'backlog-readings',
    text: `select at, position, trip, flags, rx_ms, channels from readings where line_id = $1 and at > $2 and at <= $3
      order by at, boot, seq limit ${readingsAtOnce}`,
    values: [lineId, after, new Date(to)],
  });
  return rows;
};

const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(Math.fround(value)) ? value : null;

/**
 * The episode of an alarm from a backlog. It starts when the alarm began, or when its level rose if it began
 * before the stretch.
 */
const episodeOf = (alarm: ActiveAlarm, at: number): Episode => {
  const end = alarm.clearedAt ?? (alarm.latched ? alarm.normalAt : null);
  const isInOwnUnit = alarm.unit === null;
  return {
    line_id: alarm.lineId,
    code: alarm.code,
    phase: alarm.phase,
    level: alarm.level,
    at: new Date(at),
    ended_at: end === null ? null : new Date(end),
    value: isInOwnUnit ? finite(alarm.peak) : null,
    threshold: isInOwnUnit ? finite(alarm.threshold) : null,
  };
};

/**
 * Deletes the entries of an earlier part of the same backlog, which is evaluated again together with the
 * rest.
 */
const forgetSql = `with gone as (
    delete from alarm_events where line_id = $1 and late and kind = 'raised' and at >= $2 and at <= $3
    returning line_id, event_id, code, phase)
  delete from alarm_events c using gone
  where c.line_id = gone.line_id and c.late and c.kind = 'cleared' and c.event_id = gone.event_id
    and c.code = gone.code and c.phase = gone.phase`;

/** An episode that an alarm already reports, from live data or from the device, needs no log entry. */
const writeSql = `with found as (
    select e.*, 'late ' || extract(epoch from e.at)::text as event_id
    from jsonb_to_recordset($1::jsonb) as e (line_id int, code smallint, phase smallint, level smallint, at timestamptz,
      ended_at timestamptz, value real, threshold real)
    where not exists (select from alarms a where a.line_id = e.line_id and a.code = e.code
      and (a.phase = e.phase or a.phase = 0 or e.phase = 0) and a.level >= e.level
      and a.raised_at <= e.at + make_interval(secs => $2::float) and coalesce(a.cleared_at, 'infinity') >= e.at))
  insert into alarm_events (line_id, at, code, phase, level, kind, value, threshold, event_id, late)
  select line_id, at, code, phase, level, 'raised', value, threshold, event_id, true from found
  union all
  select line_id, ended_at, code, phase, level, 'cleared', null, null, event_id, true from found where ended_at is not null
  on conflict do nothing`;
