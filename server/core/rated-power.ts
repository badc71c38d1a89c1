import { usualNominalVoltage } from '#contract/alarm-catalogue.ts';

/** A; for a line whose rating is unknown. Higher than usual, so that its energy is not taken for a spike. */
const unknownRating = 100;

/** Rated power of a line, W, as SQL: `line` is the alias of `lines`, `project` that of its `projects` row or null. */
export const ratedPowerSql = (line: string, project: string): string =>
  `(coalesce(${project}.nominal_voltage, ${usualNominalVoltage})::double precision
    * coalesce(${line}.rated_current, ${unknownRating}) * case when ${line}.poles >= 3 then 3 else 1 end)`;
