import type pg from 'pg';
import { ensureRollupDays } from '#database/rollup-partitions.ts';
import { ratedPowerSql } from '#server/core/rated-power.ts';
import { defaultZone } from '#server/core/zone.ts';
import { minuteMs, minuteOf, type OwnedFrom } from './energy.ts';
import { figures, list, names, upsert } from './fold.ts';
import {
  holdMsOf,
  type LineTraits,
  type Minute,
  type MinuteSums,
  type RawReading,
  sumsOf,
} from './minutes.ts';
import type { RunningMinutes } from './running.ts';

/** A changed stretch of a line's readings: [since, until) in ms; without `until`, up to the newest. */
export interface Touched {
  lineId: number;
  since: number;
  until: number | null;
}
interface Window extends LineTraits {
  lineId: number;
  start: number;
  end: number;
  /** Readings from here on are read, and the one before. */
  readFrom: number;
  base: { at: number; kWh: number } | null;
  /** The accepted value at the end of the window before recalculation. */
  lastBefore: { at: number; kWh: number } | null;
}
const hourMs = 3_600_000;
/** Number of readings beyond a window that are read to find the step that leaves it. */
const beyond = 20;
const farFuture = Date.parse('2200-01-01T00:00:00Z');
const date = (at: number) => new Date(at);

const traitsSql = (more = '') => `
  select u.line_id as "lineId", d.type, d.interval_seconds as "uploadSeconds", coalesce(p.time_zone, '${defaultZone}') as zone,
    greatest(${ratedPowerSql} / 1000, c.max_kw) as "maxKW"${more}
  from unnest($1::int[]) as u (line_id)
  join lines l on l.id = u.line_id join devices d on d.id = l.device_id left join projects p on p.id = d.project_id
  left join line_capacity c on c.line_id = l.id`;
/** Number of stored readings in these minutes, and whether late readings of the line wait. */
const proofSql = traitsSql(`,
    (select count(*)::int from readings r where r.line_id = u.line_id and r.at >= $2 and r.at < $3) as stored,
    exists (select from rollup_dirty m where m.line_id = u.line_id) as "isMarked"`);
const capacitySql = `
  insert into line_capacity as c (line_id, max_kw) select * from unnest($1::int[], $2::double precision[])
  on conflict (line_id) do update set max_kw = greatest(c.max_kw, excluded.max_kw)`;
/**
 * The window begins with the minute of the value accepted before the stretch, and ends with the minute of the
 * next accepted one, or of the reading after it if there is none: a step of the register is calculated as a whole.
 * Without an accepted value it begins `holdMs` before the stretch.
 */
const windowSql = `
  select u.line_id as "lineId", coalesce(b1.bucket, u.early) as start, b1.bucket is not null as has_accepted, b2.last_at as base_at, b2.energy_last as base_kwh, next.at as next_at,
    b3.last_at as end_at, b3.energy_last as end_kwh
  from unnest($1::int[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) as u (line_id, since, until, early)
  left join lateral (select bucket from rollup_minute m where m.line_id = u.line_id and m.bucket < u.since
    and m.first_at < u.since order by bucket desc limit 1) b1 on true
  left join lateral (select last_at, energy_last from rollup_minute m where m.line_id = u.line_id
    and m.bucket < coalesce(b1.bucket, u.early) and m.energy_last is not null order by bucket desc limit 1) b2 on true
  left join lateral (select at from readings r where r.line_id = u.line_id and r.at >= u.until order by at limit 1) reading on true
  left join lateral (select last_at as at from rollup_minute m where b1.bucket is not null and m.line_id = u.line_id
    and m.bucket >= date_trunc('minute', u.until) and m.last_at >= u.until order by bucket limit 1) register on true
  cross join lateral (select greatest(reading.at, register.at) as at) next
  left join lateral (select last_at, energy_last from rollup_minute m where m.line_id = u.line_id
    and m.bucket <= coalesce(next.at, u.until) and m.energy_last is not null order by bucket desc limit 1) b3 on true`;
/** Times in ms and channels as text: much cheaper to parse than the driver's dates and arrays. */
const readingColumns = `r.line_id, date_part('epoch', r.at) * 1000 as at, r.energy, r.channels::text as channels`;
const readingsSql = `
  select ${readingColumns}
  from unnest($1::int[], $2::timestamptz[], $4::timestamptz[]) as u (line_id, since, early)
  cross join lateral (select * from readings r where r.line_id = u.line_id and r.at < u.since and r.at >= u.early
    order by at desc limit 1) r
  union all
  select ${readingColumns}
  from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as u (line_id, since, until)
  join readings r on r.line_id = u.line_id and r.at >= u.since and r.at < u.until
  union all
  select ${readingColumns}
  from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as u (line_id, since, until)
  cross join lateral (select * from readings r where r.line_id = u.line_id and r.at >= u.until order by at limit ${beyond}) r`;

const minuteSql = `
  insert into rollup_minute (line_id, bucket, ${list})
  select * from unnest($1::int[], $2::timestamptz[], ${figures.map(([, type], i) => `$${i + 3}::${type}[]`).join(', ')})
  ${upsert('rollup_minute')} returning line_id, bucket`;
const emptiedSql = `
  delete from rollup_minute m using unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as u (line_id, since, until)
  where m.line_id = u.line_id and m.bucket >= u.since and m.bucket < u.until
    and not exists (select from unnest($4::int[], $5::timestamptz[]) as kept (line_id, bucket)
      where kept.line_id = m.line_id and kept.bucket = m.bucket)
  returning m.line_id, m.bucket`;

interface ReadingRow {
  line_id: number;
  at: number;
  energy: number | null;
  channels: string;
}
/** `{230,NULL,1.5}` */
const channelsOf = (text: string): (number | null)[] =>
  text.length === 2
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((value) => (value === 'NULL' ? null : Number(value)));
interface WindowRow {
  lineId: number;
  start: Date;
  has_accepted: boolean;
  base_at: Date | null;
  base_kwh: number | null;
  next_at: Date | null;
  end_at: Date | null;
  end_kwh: number | null;
}
const registerAt = (at: Date | null, kWh: number | null) =>
  at === null || kWh === null ? null : { at: at.getTime(), kWh };

const windowsOf = async (client: pg.ClientBase, touched: readonly Touched[]): Promise<Window[]> => {
  const traits = new Map(
    (
      await client.query<LineTraits & { lineId: number }>(traitsSql(), [touched.map((one) => one.lineId)])
    ).rows.map((row) => [row.lineId, { ...row, type: row.type }]),
  );
  const known = touched.filter((one) => traits.has(one.lineId));
  const { rows } = await client.query<WindowRow>(windowSql, [
    known.map((one) => one.lineId),
    known.map((one) => date(one.since)),
    known.map((one) => date(one.until ?? farFuture)),
    known.map((one) => date(minuteOf(one.since - holdMsOf(traits.get(one.lineId)!)))),
  ]);
  const untils = new Map(known.map((one) => [one.lineId, one.until]));
  return rows.map((row) => {
    const until = untils.get(row.lineId) ?? null;
    const next = row.next_at?.getTime();
    const line = traits.get(row.lineId)!;
    const start = row.start.getTime();
    return {
      ...line,
      lineId: row.lineId,
      start,
      // Without a register the power is integrated from the last reading that has one.
      readFrom: row.has_accepted ? start : start - holdMsOf(line),
      end: next !== undefined ? minuteOf(next) + minuteMs : (until ?? farFuture),
      base: registerAt(row.base_at, row.base_kwh),
      lastBefore: next === undefined ? null : registerAt(row.end_at, row.end_kwh),
    };
  });
};

const readingsOf = async (client: pg.ClientBase, windows: readonly Window[]) => {
  const { rows } = await client.query<ReadingRow>(readingsSql, [
    windows.map((window) => window.lineId),
    windows.map((window) => date(window.readFrom)),
    windows.map((window) => date(window.end)),
    windows.map((window) => date(window.readFrom - holdMsOf(window))),
  ]);
  const byLine = new Map<number, RawReading[]>();
  for (const row of rows) {
    const readings = byLine.get(row.line_id) ?? [];
    readings.push({ at: Math.round(row.at), energy: row.energy, channels: channelsOf(row.channels) });
    byLine.set(row.line_id, readings);
  }
  return byLine;
};

/** The owners of the devices of these lines, in order of time. */
const ownersOf = async (client: pg.ClientBase, lineIds: readonly number[]) => {
  const { rows } = await client.query<{ line_id: number; owners: OwnedFrom[] }>(
    `select l.id as line_id, json_agg(json_build_object('at', date_part('epoch', change.at) * 1000, 'zone', coalesce(change.zone, '${defaultZone}'))
       order by change.at, change.zone nulls first) as owners
     from lines l join device_ownerships o on o.device_id = l.device_id join projects p on p.id = o.project_id
     cross join lateral (values (o.since, p.time_zone), (o.until, null)) as change (at, zone)
     where l.id = any($1) and change.at < 'infinity' group by 1`,
    [lineIds],
  );
  return new Map(rows.map((row) => [row.line_id, row.owners]));
};
/** The sums of each window; the owners are read only if there was a long gap. */
const summed = async (
  client: pg.ClientBase,
  windows: readonly Window[],
  readings: ReadonlyMap<number, RawReading[]>,
): Promise<MinuteSums[]> => {
  const sumOf = (window: Window, owners: readonly OwnedFrom[] = []) =>
    sumsOf(window, window, window.base, readings.get(window.lineId) ?? [], owners);
  const sums = windows.map((window) => sumOf(window));
  const long = windows.filter((_, index) => sums[index]!.hasLongGap);
  if (long.length === 0) return sums;
  const owners = await ownersOf(
    client,
    long.map(({ lineId }) => lineId),
  );
  return windows.map((window, index) =>
    sums[index]!.hasLongGap ? sumOf(window, owners.get(window.lineId)) : sums[index]!,
  );
};

interface MinuteRow extends Minute {
  lineId: number;
}
const valuesOf = (rows: readonly MinuteRow[]) =>
  names.map((name) =>
    rows.map((row) => {
      const value = row[name];
      return value !== null && (name === 'first_at' || name === 'last_at') ? date(value) : value;
    }),
  );

/** Writes only the rows that differ, and returns their buckets, which must be folded. */
const writeMinutes = async (client: pg.ClientBase, rows: readonly MinuteRow[]): Promise<Instant[]> => {
  await ensureRollupDays(
    client,
    rows.map((row) => row.bucket),
  );
  const written = await client.query<{ line_id: number; bucket: Date }>(minuteSql, [
    rows.map((row) => row.lineId),
    rows.map((row) => date(row.bucket)),
    ...valuesOf(rows),
  ]);
  return written.rows.map(instantOf);
};
const instantOf = (row: { line_id: number; bucket: Date }): Instant => ({
  lineId: row.line_id,
  bucket: row.bucket.getTime(),
});

/** The changed minutes of a table, and the zones of their lines. */
interface Changed {
  minutes: Instant[];
  zones: Map<number, string>;
}
export interface Instant {
  lineId: number;
  bucket: number;
}

const areSame = (one: LineTraits, other: LineTraits) =>
  one.type === other.type &&
  one.uploadSeconds === other.uploadSeconds &&
  one.zone === other.zone &&
  one.maxKW === other.maxKW;

/**
 * Writes the minutes that were added up for these lines while their readings came in, if as many readings are
 * stored as were added. Added readings are always stored, so equal numbers mean that none is missing. The other
 * lines are left to be read.
 */
export const writeRunning = async (
  client: pg.ClientBase,
  lineIds: readonly number[],
  { since, until }: { since: number; until: number },
  running: RunningMinutes,
): Promise<Changed & { left: number[] }> => {
  const added = lineIds.filter((lineId) => running.sumsOf(lineId) !== null);
  const rows: MinuteRow[] = [];
  const zones = new Map<number, string>();
  if (added.length > 0) {
    const stored = await client.query<LineTraits & { lineId: number; stored: number; isMarked: boolean }>(
      proofSql,
      [added, date(since), date(until)],
    );
    for (const line of stored.rows) {
      const sums = running.sumsOf(line.lineId);
      const isWhole =
        sums !== null &&
        !line.isMarked &&
        areSame(sums.traits, line) &&
        sums.isWholeFrom(since) &&
        sums.samplesIn(since, until) === line.stored;
      if (!isWhole) continue;
      zones.set(line.lineId, line.zone);
      for (const minute of sums.handOut(until)) rows.push({ ...minute, lineId: line.lineId });
      sums.forget(until);
    }
  }
  const minutes = rows.length === 0 ? [] : await writeMinutes(client, rows);
  return { minutes, zones, left: lineIds.filter((lineId) => !zones.has(lineId)) };
};

/**
 * Recalculates the minutes of these stretches from the readings; inside a transaction, one stretch per line.
 * `further`: the stretches to recalculate next because the register value at their start changed.
 */
export const recompute = async (
  client: pg.ClientBase,
  touched: readonly Touched[],
  onSums: {
    reading(windows: readonly Window[]): void;
    read(lineId: number, sums: MinuteSums): void;
  } | null = null,
): Promise<Changed & { further: Touched[] }> => {
  const windows = await windowsOf(client, touched);
  onSums?.reading(windows);
  const readings = await readingsOf(client, windows);
  const rows: MinuteRow[] = [];
  const further: Touched[] = [];
  const proven: { lineId: number; maxKW: number }[] = [];
  const allSums = await summed(client, windows, readings);
  for (const [index, window] of windows.entries()) {
    const { lineId, end, lastBefore } = window;
    const sums = allSums[index]!;
    const minutes = sums.minutes();
    if (sums.maxKW > window.maxKW) proven.push({ lineId, maxKW: sums.maxKW });
    for (const minute of minutes) rows.push({ ...minute, lineId });
    const last = minutes.findLast((minute) => minute.energy_last !== null);
    if (lastBefore && last && (last.last_at !== lastBefore.at || last.energy_last !== lastBefore.kWh))
      further.push({ lineId, since: end, until: end + hourMs });
    onSums?.read(lineId, sums);
  }
  if (proven.length > 0)
    await client.query(capacitySql, [proven.map((one) => one.lineId), proven.map((one) => one.maxKW)]);
  const emptied = await client.query<{ line_id: number; bucket: Date }>(emptiedSql, [
    windows.map((window) => window.lineId),
    windows.map((window) => date(window.start)),
    windows.map((window) => date(window.end)),
    rows.map((row) => row.lineId),
    rows.map((row) => date(row.bucket)),
  ]);
  const minutes = [...(await writeMinutes(client, rows)), ...emptied.rows.map(instantOf)];
  return { further, minutes, zones: new Map(windows.map(({ lineId, zone }) => [lineId, zone])) };
};
