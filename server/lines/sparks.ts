import type { ReplyOf } from '#contract/endpoint.ts';
import { type lineEndpoints, sparkMinutes, type sparkQuantities } from '#contract/lines.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#server/core/scope.ts';
import { linesOfDevice } from './lines.store.ts';

const minuteMs = 60_000;
/** Rollup column for each quantity of a minute. */
const figures = { P: 'power_avg', I: 'current_max', IL: 'leakage_max', T: 'temperature_max' } as const;
const quantities = Object.keys(figures) as (typeof sparkQuantities)[number][];

/** The last hour of every line of a device, by minute: one query, at most `sparkMinutes` rows per line. */
export const sparksOf = async (
  db: Db,
  scope: Scope,
  deviceId: number,
  now: number,
): Promise<ReplyOf<typeof lineEndpoints.sparks>> => {
  const lines = await linesOfDevice(db, scope, deviceId);
  const until = Math.floor(now / minuteMs) * minuteMs;
  const from = until - sparkMinutes * minuteMs;
  const found =
    lines.length === 0
      ? []
      : await db
          .selectFrom('rollup_minute')
          .select(['line_id', 'bucket', ...Object.values(figures)])
          .where(
            'line_id',
            'in',
            lines.map(({ id }) => id),
          )
          .where('bucket', '>=', new Date(from))
          .where('bucket', '<', new Date(until))
          .execute();
  const ofLine = Map.groupBy(found, ({ line_id }) => line_id);
  return {
    from: new Date(from).toISOString(),
    lines: lines.map(({ id, seen_from }) => {
      const minutes = (ofLine.get(id) ?? []).filter(({ bucket }) => bucket >= seen_from);
      const isKnown = (quantity: (typeof quantities)[number]) =>
        minutes.some((minute) => minute[figures[quantity]] !== null);
      const quantity = quantities.find(isKnown) ?? 'P';
      const values = new Array<number | null>(sparkMinutes).fill(null);
      for (const minute of minutes)
        values[(minute.bucket.getTime() - from) / minuteMs] = minute[figures[quantity]];
      return { line_id: id, quantity, values };
    }),
  };
};
