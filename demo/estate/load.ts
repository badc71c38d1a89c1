import type { PlaceKind } from './places.ts';

export type LoadProfile = 'factory' | 'household' | 'mixed' | 'office' | 'dormitory' | 'shop';

/**
 * Share of the full load by local hour on a working day; on weekends it is scaled by `weekend`. Source:
 * domain reference §7.
 */
const profiles: Record<LoadProfile, { hours: readonly number[]; weekend: number }> = {
  factory: {
    hours: [
      0.12, 0.09, 0.06, 0.06, 0.06, 0.06, 0.06, 0.07, 0.64, 1, 0.95, 0.97, 0.32, 0.66, 0.95, 0.94, 0.95, 0.81,
      0.61, 0.71, 0.7, 0.24, 0.14, 0.13,
    ],
    weekend: 0.38,
  },
  household: {
    hours: [
      0.3, 0.25, 0.23, 0.22, 0.22, 0.22, 0.43, 0.84, 0.79, 0.7, 0.63, 0.61, 0.58, 0.54, 0.5, 0.46, 0.44, 0.48,
      0.63, 0.86, 0.96, 0.97, 0.71, 0.43,
    ],
    weekend: 1.05,
  },
  mixed: {
    hours: [
      0.5, 0.46, 0.43, 0.4, 0.38, 0.36, 0.35, 0.37, 0.41, 0.45, 0.55, 0.68, 0.76, 0.78, 0.78, 0.77, 0.78, 0.9,
      1, 0.97, 0.91, 0.77, 0.62, 0.57,
    ],
    weekend: 1,
  },
  office: {
    hours: [
      0.18, 0.17, 0.16, 0.16, 0.16, 0.18, 0.25, 0.45, 0.8, 0.95, 1, 0.98, 0.82, 0.9, 0.98, 0.97, 0.92, 0.8,
      0.55, 0.4, 0.32, 0.27, 0.22, 0.2,
    ],
    weekend: 0.35,
  },
  dormitory: {
    hours: [
      0.45, 0.35, 0.28, 0.25, 0.24, 0.26, 0.4, 0.6, 0.45, 0.35, 0.33, 0.4, 0.58, 0.45, 0.38, 0.36, 0.4, 0.55,
      0.75, 0.9, 1, 0.98, 0.85, 0.62,
    ],
    weekend: 1,
  },
  shop: {
    hours: [
      0.15, 0.14, 0.14, 0.14, 0.14, 0.15, 0.18, 0.25, 0.45, 0.75, 0.9, 0.95, 0.95, 0.92, 0.92, 0.93, 0.95, 1,
      1, 0.98, 0.9, 0.65, 0.3, 0.18,
    ],
    weekend: 1,
  },
};
export const profileOf: Record<PlaceKind, LoadProfile> = {
  office: 'office',
  factory: 'factory',
  dormitory: 'dormitory',
  mall: 'shop',
  hospital: 'mixed',
  data_centre: 'mixed',
  school: 'office',
  hotel: 'household',
  market: 'shop',
  warehouse: 'factory',
  metro_depot: 'mixed',
  residential: 'household',
};
/** Power factors at the meter: a factory compensates its motors to avoid the charge for reactive energy. */
export const powerFactorOf: Record<LoadProfile, number> = {
  factory: 0.94,
  household: 0.96,
  mixed: 0.94,
  office: 0.93,
  dormitory: 0.97,
  shop: 0.94,
};

/** Power factor of motors with failed compensation. */
export const uncompensatedPowerFactor = 0.87;

const hourMs = 3_600_000;
/** Of all demo sites; it has no summer time. */
export const zone = 'Asia/Shanghai';
export const zoneOffsetMs = 8 * hourMs;
export const localDayStart = (at: number): number =>
  Math.floor((at + zoneOffsetMs) / (24 * hourMs)) * 24 * hourMs - zoneOffsetMs;
export const localMonthStart = (at: number): number => {
  const local = new Date(at + zoneOffsetMs);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1) - zoneOffsetMs;
};
/** Hours since local midnight, with fraction. */
export const localHour = (at: number): number => ((at + zoneOffsetMs) / hourMs) % 24;
const dayOfYear = (at: number): number => {
  const local = new Date(at + zoneOffsetMs);
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / (24 * hourMs));
};

/** Base load, appliances and the hour's share, with season: power as a share of the line's full load. */
export const loadShare = (profile: LoadProfile, at: number, noise: number): number => {
  const { hours, weekend } = profiles[profile];
  const hour = localHour(at);
  const from = Math.floor(hour);
  const low = hours[from]!;
  const share = low + (hours[(from + 1) % 24]! - low) * (hour - from);
  const weekday = (Math.floor((at + zoneOffsetMs) / (24 * hourMs)) + 3) % 7; // 0 = Monday
  const season = 1 + 0.12 * Math.cos((4 * Math.PI * (dayOfYear(at) - 200)) / 365);
  const day = weekday >= 5 ? weekend : 1;
  return 0.08 + Math.max(0, 0.9 * share * day * season * (1 + noise));
};

/** Inside a cabinet, °C. */
export const ambientAt = (at: number): number =>
  28 +
  6 * Math.sin((2 * Math.PI * (localHour(at) - 9)) / 24) +
  4 * Math.sin((2 * Math.PI * (dayOfYear(at) - 105)) / 365);
