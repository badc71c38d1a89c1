import { sql } from 'kysely';

/**
 * Duration classes per factor e: each is one per cent wide, so that a quantile is exact to half a per cent.
 */
const perFactor = 100;

/**
 * The class of the time from raising to handling; null: not handled. Exact quantiles would sort every
 * duration for each type and project. A device clock may be ahead of the server's: an alarm handled before
 * its own time counts as handled at once.
 */
export const durationClass = sql`case when a.handled_at is not null then
  round(ln(greatest(date_part('epoch', a.handled_at - a.raised_at), 1)) * ${sql.lit(perFactor)})::int end`;
const secondsOf = (duration: number): number => Math.exp(duration / perFactor);

interface Class {
  duration: number | null;
  processed: number;
}
/** The duration that this share of all alarms does not exceed; null: no alarm was handled. */
const quantileOf = (classes: readonly Class[], share: number): number | null => {
  const handled = classes
    .flatMap(({ duration, processed }) => (duration === null ? [] : [{ duration, processed }]))
    .sort((one, other) => one.duration - other.duration);
  const wanted = share * handled.reduce((sum, { processed }) => sum + processed, 0);
  let sum = 0;
  for (const { duration, processed } of handled) {
    sum += processed;
    if (sum >= wanted) return secondsOf(duration);
  }
  return null;
};
export const quantilesOf = (classes: readonly Class[]) => ({
  median_s: quantileOf(classes, 0.5),
  p90_s: quantileOf(classes, 0.9),
});
