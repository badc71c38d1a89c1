import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';

/** Rating, A, of a line that reports none: higher than usual, so that its energy is not taken for a spike. */
const unknownRating = 100;

/** Rated power, W, as SQL: of a line `l`, in project `p` or none. */
export const ratedPowerSql = `(coalesce(p.nominal_voltage, ${usualNominalVoltage})::double precision
  * coalesce(l.rated_current, ${unknownRating}) * case when l.poles >= 3 then 3 else 1 end)`;
