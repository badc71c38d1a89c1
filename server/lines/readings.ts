import { sql } from 'kysely';
import * as z from 'zod';
import { type BodyOf, instant, type ReplyOf } from '#contract/endpoint.ts';
import { type lineEndpoints, maxSeriesPoints, rollupChannels } from '#contract/lines.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { cursorKey, cursorOf } from '#server/core/cursor.ts';
import { fault } from '#server/core/fault.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import { stateOf } from '#server/core/position.ts';
import type { Scope } from '#server/core/scope.ts';
import type { Call } from '#server/core/serve.ts';
import { lineInScope, namedChannels } from './lines.store.ts';

const backfilled = 1;
const place = z.tuple([instant, z.int(), z.int()]);
type Series = ReplyOf<typeof lineEndpoints.series>;

/** The part of a range in which the scope may see a line. */
const seenOf = (range: { from: Date; to: Date }, { seen_from }: { seen_from: Date }) => ({
  from: new Date(Math.max(range.from.getTime(), seen_from.getTime())),
  to: range.to,
});
const checkedRange = (given: { from: string; to: string }) => {
  const range = { from: new Date(given.from), to: new Date(given.to) };
  if (range.from >= range.to) fault('request.invalid', { fields: { to: 'range.order' } });
  return range;
};

/** Readings of a line by device time, newest first; every page costs the same, however old. */
export const lineLog = async (db: Db, scope: Scope, body: BodyOf<typeof lineEndpoints.log>) => {
  const range = checkedRange(body);
  const line = await lineInScope(db, scope, body.line_id);
  const { from, to } = seenOf(range, line);
  const after = body.cursor === undefined ? null : cursorKey(body.cursor, place);
  const rows = await db
    .selectFrom('readings')
    .selectAll()
    .where('line_id', '=', body.line_id)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(after !== null, (query) =>
      query
        .where('at', '<=', new Date(after![0]))
        .where(
          sql<boolean>`(at, boot, seq) < (${after![0]}::timestamptz, ${after![1]}::integer, ${after![2]}::integer)`,
        ),
    )
    .orderBy('at', 'desc')
    .orderBy('boot', 'desc')
    .orderBy('seq', 'desc')
    .limit(body.limit)
    .execute();
  const last = rows.at(-1);
  return {
    list: rows.map((row) => ({
      at: row.at.toISOString(),
      received_at: new Date(row.at.getTime() + row.rx_ms).toISOString(),
      state: stateOf(row.position),
      trip: row.trip,
      lock: row.lock,
      energy: row.energy,
      late: ((row.flags ?? 0) & backfilled) !== 0,
      values: namedChannels(line.type as DeviceType, row.channels),
    })),
    next_cursor:
      last && rows.length === body.limit ? cursorOf(last.at.toISOString(), last.boot, last.seq) : null,
  };
};

/** Bit of `energy_flags`: estimated over a gap. */
const estimatedFlag = 1;
const minutes = { resolution: 'minute', table: 'rollup_minute', step_s: 60 } as const;
const hours = { resolution: 'hour', table: 'rollup_hour', step_s: 3600 } as const;
const days = { resolution: 'day', table: 'rollup_day', step_s: 86_400 } as const;
const rollups = [minutes, hours, days] as const;

const dayMs = 86_400_000;
/** The first day of which readings and minutes are kept: days are dropped whole (`dropOld`). */
const keptFrom = async (db: Db, now: number): Promise<number> => {
  const { readingsDays } = await readSettings(db, 'retention');
  return (Math.floor(now / dayMs) - readingsDays) * dayMs;
};

/**
 * A chart's series: the finest resolution that stays within `maxSeriesPoints`, and is kept for the whole range.
 */
export const lineSeries = async (
  { db, caller, now }: Pick<Call<unknown>, 'db' | 'caller' | 'now'>,
  body: BodyOf<typeof lineEndpoints.series>,
): Promise<Series> => {
  const asked = checkedRange(body);
  const line = await lineInScope(db, caller.scope, body.line_id);
  const range = seenOf(asked, line);
  const kept = await keptFrom(db, now);
  const isKept = range.from.getTime() >= kept;
  const seconds = (range.to.getTime() - range.from.getTime()) / 1000;
  if (isKept && seconds / line.interval_seconds <= maxSeriesPoints) {
    const raw = await rawSeries(db, line, range, body.channels);
    if (raw) return raw;
  }
  const fitting =
    rollups.find(({ step_s }) => seconds / step_s <= maxSeriesPoints) ??
    fault('request.invalid', { fields: { to: 'range.long' }, with: { days: maxSeriesPoints } });
  if (fitting !== minutes || isKept) return rollupSeries(db, body.line_id, range, body.channels, fitting);
  const series = await rollupSeries(db, body.line_id, range, body.channels, hours);
  return { ...series, kept_from: new Date(kept).toISOString() };
};

/**
 * Raw channels, or null if there are too many points, or none: raw readings are kept for a shorter time than
 * rollups.
 */
const rawSeries = async (
  db: Db,
  line: { id: number; type: number; interval_seconds: number },
  { from, to }: { from: Date; to: Date },
  wanted: readonly string[] | undefined,
): Promise<Series | null> => {
  const rows = await db
    .selectFrom('readings')
    .select(['at', 'channels', 'energy'])
    .where('line_id', '=', line.id)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .limit(maxSeriesPoints + 1)
    .execute();
  if (rows.length === 0 || rows.length > maxSeriesPoints) return null;
  const names = lineChannels[line.type as DeviceType];
  const channels = [...names, 'E'].filter((name) => wanted?.includes(name) ?? true);
  return {
    resolution: 'raw',
    estimated: [],
    kept_from: null,
    step_s: line.interval_seconds,
    channels,
    at: rows.map((row) => row.at.getTime()),
    values: Object.fromEntries(
      channels.map((name) => {
        const index = names.indexOf(name);
        return [name, rows.map((row) => (name === 'E' ? row.energy : (row.channels[index] ?? null)))];
      }),
    ),
  };
};

const rollupSeries = async (
  db: Db,
  lineId: number,
  { from, to }: { from: Date; to: Date },
  wanted: readonly string[] | undefined,
  { resolution, table, step_s }: (typeof rollups)[number],
): Promise<Series> => {
  const quantities = wanted && new Set(wanted.map((name) => name.replace(/^(in|out)\./, '').split('.')[0]));
  const channels = Object.entries(rollupChannels).flatMap(([quantity, figures]) =>
    quantities === undefined || quantities.has(quantity) ? [...figures] : [],
  );
  const found = await db
    .selectFrom(table)
    .selectAll()
    .where('line_id', '=', lineId)
    .where('bucket', '>=', from)
    .where('bucket', '<', to)
    .orderBy('bucket')
    .limit(maxSeriesPoints)
    .execute();
  return {
    resolution,
    step_s,
    kept_from: null,
    channels,
    at: found.map((row) => row.bucket.getTime()),
    estimated: found
      .filter(({ energy_flags }) => (energy_flags & estimatedFlag) !== 0)
      .map(({ bucket }) => bucket.getTime()),
    values: Object.fromEntries(channels.map((name) => [name, found.map((row) => row[name])])),
  };
};
