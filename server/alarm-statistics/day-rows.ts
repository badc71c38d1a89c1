/** Alarms as rows of 16 bytes by UTC day: past days from the packed table, others from the alarm table. */

import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { alarmStore } from '#server/alarms/alarms.store.ts';
import { durationClass } from './durations.ts';

type Condition = Awaited<ReturnType<ReturnType<typeof alarmStore>['counted']>>;

export const quarterMs = 900_000;
const dayMs = 86_400_000;

/** The four numbers of a row: device, project (0: none), code with severity and level, quarter of the day with duration. */
export const fields = 4;
export const codeOf = (kind: number): number => kind >>> 16;
export const severityOf = (kind: number): number => (kind >>> 8) & 0xff;
export const levelOf = (kind: number): number => kind & 0xff;
export const quarterOf = (time: number): number => time >>> 16;
/** 0: not handled; otherwise its class (`durations.ts`) plus one. */
export const durationOf = (time: number): number => time & 0xffff;
/** More classes than durations of 300 years need. */
export const durations = 2400;

/** Packs alarms `a`, in network byte order. */
export const packed = sql`coalesce(string_agg(
  int4send(a.device_id) || int4send(coalesce(a.project_id, 0))
    || int4send((a.code::int << 16) | (a.severity::int << 8) | a.level::int)
    || int4send(((floor(date_part('epoch', a.raised_at))::bigint % 86400 / 900)::int << 16)
      | case when a.handled_at is null then 0 else least(${durationClass}, ${sql.lit(durations - 2)}) + 1 end),
  ''::bytea), ''::bytea)`;

export interface DayRows {
  /** Its first quarter of an hour, counted from 1970. */
  first: number;
  rows: Int32Array;
}
const dayRows = ({ day, packed: bytes }: { day: string; packed: Buffer }): DayRows => {
  const aligned = new Uint8Array(bytes.length);
  aligned.set(bytes);
  Buffer.from(aligned.buffer).swap32();
  return { first: Date.parse(`${day}T00:00:00Z`) / quarterMs, rows: new Int32Array(aligned.buffer) };
};

/** Packed days `d` that are up to date with the alarms. */
const intact = sql`d.files = alarm_files() and not exists (select from alarm_days_changed c where c.day = d.day)`;

interface Span {
  from: number;
  to: number;
}
const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
/** The parts of a span outside these days. */
const without = ({ from, to }: Span, days: ReadonlySet<string>): Span[] => {
  const spans: Span[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / dayMs) + 1) * dayMs);
    const last = spans.at(-1);
    if (!days.has(dayText(at))) {
      if (last?.to === at) last.to = end;
      else spans.push({ from: at, to: end });
    }
    at = end;
  }
  return spans;
};
/** Alarms `a` of these spans that match. */
const inSpans = (spans: readonly Span[], where: Condition) => sql`
  unnest(${spans.map(({ from }) => new Date(from))}::timestamptz[], ${spans.map(({ to }) => new Date(to))}::timestamptz[])
    as span (since, until)
  join alarms a on a.raised_at >= span.since and a.raised_at < span.until where ${where}`;

/** Number of days that are read together; between them the server does other work. */
const daysAtOnce = 12;

async function* fromTable(db: Db, spans: readonly Span[], where: Condition): AsyncGenerator<DayRows> {
  if (spans.length === 0) return;
  const { rows } = await sql<{ day: string; packed: Buffer }>`
    select (a.raised_at at time zone 'UTC')::date as day, ${packed} as packed
    from ${inSpans(spans, where)} group by 1 order by 1`.execute(db);
  for (const row of rows) yield dayRows(row);
}

/** Packed days, without those that were changed meanwhile. */
const readPacked = async (db: Db, days: readonly { day: string }[]) =>
  days.length === 0
    ? []
    : (
        await sql<{ day: string; packed: Buffer }>`
          select d.day, d.packed from alarm_days d
          where d.day = any(${days.map(({ day }) => day)}::date[]) and ${intact}`.execute(db)
      ).rows;

/**
 * Alarms of a span. `where`: which alarms count; `ofAll`: the condition depends on the kinds of alarms only,
 * so packed days can be used, and the caller filters their rows.
 */
export async function* rowsOf(
  db: Db,
  { span, where, ofAll }: { span: Span; where: Condition; ofAll: boolean },
): AsyncGenerator<DayRows> {
  if (!ofAll) {
    yield* fromTable(db, [span], where);
    return;
  }
  const known = await sql<{ day: string }>`
    select d.day from alarm_days d where d.day between ${dayText(span.from)} and ${dayText(span.to - 1)}
      and ${intact} order by d.day`.execute(db);
  const taken = new Set<string>();
  // The next days are read while these are counted.
  let next = readPacked(db, known.rows.slice(0, daysAtOnce));
  for (let index = 0; index < known.rows.length; index += daysAtOnce) {
    const rows = await next;
    next = readPacked(db, known.rows.slice(index + daysAtOnce, index + 2 * daysAtOnce));
    next.catch(() => {});
    for (const row of rows) {
      taken.add(row.day);
      yield dayRows(row);
    }
  }
  yield* fromTable(db, without(span, taken), where);
}

/** How many alarms of a span match. */
export const countOf = async (
  db: Db,
  { span, where, ofAll }: { span: Span; where: Condition; ofAll: boolean },
): Promise<number> => {
  const whole = ofAll
    ? await sql<{ day: string; raised: number }>`
        select d.day, d.raised from alarm_days d
        where d.day >= ${dayText(span.from + dayMs - 1)} and d.day < ${dayText(span.to)} and ${intact}`.execute(
        db,
      )
    : { rows: [] };
  const rest = without(span, new Set(whole.rows.map(({ day }) => day)));
  const counted = await sql<{ count: number }>`select count(*) as count from ${inSpans(rest, where)}`.execute(
    db,
  );
  return whole.rows.reduce((sum, { raised }) => sum + raised, counted.rows[0]!.count);
};
