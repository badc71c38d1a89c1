/** Bits of a stored reading's `flags`. */
export const flag = {
  backfilled: 1,
  corrected: 2,
  unusable: 4,
  sensorFault: 8,
  /** A value beyond its measuring range: at least this. */
  saturated: 16,
} as const;
