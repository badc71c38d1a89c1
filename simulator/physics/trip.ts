export type TripCurve = 'dt' | 'iec_vi' | 'iec_ei';

/**
 * Seconds until an inverse-time relay trips at `ratio` = I/Is: K / (ratio^α − 1), IEC 60255: very inverse 13.5/1,
 * extremely inverse 80/2. Infinity at or below the setting. `dt` trips after its definite time.
 */
export const tripSeconds = (curve: TripCurve, ratio: number, definiteSeconds: number): number => {
  if (ratio <= 1) return Number.POSITIVE_INFINITY;
  if (curve === 'dt') return definiteSeconds;
  return curve === 'iec_vi' ? 13.5 / (ratio - 1) : 80 / (ratio * ratio - 1);
};

/**
 * Works like an induction disc: it moves forward while the current is above the setting, and back below it.
 */
export const stepTripDisc = (
  travelled: number,
  seconds: number,
  curve: TripCurve,
  ratio: number,
  definiteSeconds: number,
): number => {
  const time = tripSeconds(curve, ratio, definiteSeconds);
  return Number.isFinite(time) ? travelled + seconds / time : Math.max(0, travelled - seconds / 120);
};
