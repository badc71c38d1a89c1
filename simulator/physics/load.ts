import type { Random } from '../random.ts';

/**
 * Normalised hourly profiles 0…23 h, working day and weekend. Factory, household and mixed are from public
 * metering data; office, dormitory and shop are assumed. Source: domain reference §7.
 */
const factory = [
  0.12, 0.09, 0.06, 0.06, 0.06, 0.06, 0.06, 0.07, 0.64, 1, 0.95, 0.97, 0.32, 0.66, 0.95, 0.94, 0.95, 0.81,
  0.61, 0.71, 0.7, 0.24, 0.14, 0.13,
];
const factoryWeekend = [
  0.1, 0.08, 0.06, 0.06, 0.06, 0.06, 0.06, 0.05, 0.25, 0.37, 0.37, 0.37, 0.12, 0.25, 0.37, 0.38, 0.35, 0.12,
  0.09, 0.08, 0.08, 0.07, 0.07, 0.06,
];
const household = [
  0.3, 0.25, 0.23, 0.22, 0.22, 0.22, 0.43, 0.84, 0.79, 0.7, 0.63, 0.61, 0.58, 0.54, 0.5, 0.46, 0.44, 0.48,
  0.63, 0.86, 0.96, 0.97, 0.71, 0.43,
];
const householdWeekend = [
  0.42, 0.34, 0.28, 0.26, 0.24, 0.25, 0.34, 0.59, 0.65, 0.64, 0.67, 0.7, 0.7, 0.7, 0.69, 0.61, 0.6, 0.67,
  0.81, 0.96, 1, 0.94, 0.75, 0.53,
];
const mixed = [
  0.5, 0.46, 0.43, 0.4, 0.38, 0.36, 0.35, 0.37, 0.41, 0.45, 0.55, 0.68, 0.76, 0.78, 0.78, 0.77, 0.78, 0.9, 1,
  0.97, 0.91, 0.77, 0.62, 0.57,
];
const office = [
  0.18, 0.17, 0.16, 0.16, 0.16, 0.18, 0.25, 0.45, 0.8, 0.95, 1, 0.98, 0.82, 0.9, 0.98, 0.97, 0.92, 0.8, 0.55,
  0.4, 0.32, 0.27, 0.22, 0.2,
];
const dormitory = [
  0.45, 0.35, 0.28, 0.25, 0.24, 0.26, 0.4, 0.6, 0.45, 0.35, 0.33, 0.4, 0.58, 0.45, 0.38, 0.36, 0.4, 0.55,
  0.75, 0.9, 1, 0.98, 0.85, 0.62,
];
const shop = [
  0.15, 0.14, 0.14, 0.14, 0.14, 0.15, 0.18, 0.25, 0.45, 0.75, 0.9, 0.95, 0.95, 0.92, 0.92, 0.93, 0.95, 1, 1,
  0.98, 0.9, 0.65, 0.3, 0.18,
];
export const hourProfiles = {
  factory: { workday: factory, weekend: factoryWeekend },
  household: { workday: household, weekend: householdWeekend },
  mixed: { workday: mixed, weekend: mixed },
  office: { workday: office, weekend: office.map((share) => share * 0.35) },
  dormitory: { workday: dormitory, weekend: dormitory },
  shop: { workday: shop, weekend: shop },
} as const;
export type LoadProfile = keyof typeof hourProfiles;
export const loadProfiles = Object.keys(hourProfiles) as LoadProfile[];

/** Share of electronic load (rectifiers with Y-capacitors) and displacement power factor. */
export const loadCharacter: Record<LoadProfile, { electronic: number; motors: number }> = {
  factory: { electronic: 0.12, motors: 0.7 },
  household: { electronic: 0.25, motors: 0.2 },
  mixed: { electronic: 0.2, motors: 0.3 },
  office: { electronic: 0.35, motors: 0.1 },
  dormitory: { electronic: 0.3, motors: 0.1 },
  shop: { electronic: 0.3, motors: 0.2 },
};

/** Power factor of a line: office .93, dormitory .97, factory .75–.95 with median .88. */
export const drawPowerFactor = (profile: LoadProfile, random: Random): number => {
  if (profile === 'factory') return Math.min(0.95, Math.max(0.75, random.normal(0.88, 0.03)));
  return { household: 0.96, mixed: 0.94, office: 0.93, dormitory: 0.97, shop: 0.94 }[profile];
};

/** Profile value at a local hour (fractions are interpolated to the next hour). */
export const profileAt = (profile: LoadProfile, hour: number, weekend: boolean): number => {
  const shares = hourProfiles[profile][weekend ? 'weekend' : 'workday'];
  const from = Math.floor(hour) % 24;
  const low = shares[from]!;
  return low + (shares[(from + 1) % 24]! - low) * (hour - Math.floor(hour));
};

/** Summer cooling and winter heating, ±12 %. */
const seasonalLoad = (dayOfYear: number) => 1 + 0.12 * Math.cos((4 * Math.PI * (dayOfYear - 200)) / 365);

const arStepSeconds = 60;
const arPhi = 0.95;
const arSigma = 0.04;
const baseShare = 0.05;
const inrushRatio = 6;
const inrushSeconds = 0.2;

interface Appliance {
  watts: number;
  offAfter: number;
}

/** P(t) = P_base + P_n·w(h,day)·s(season)·(1 + AR1) with Poisson appliances on top, in W. */
export const createLoad = (kilowatts: number, profile: LoadProfile, random: Random) => {
  const nominal = kilowatts * 1000;
  const { motors } = loadCharacter[profile];
  const appliancesPerHour = random.between(2, 6);
  let noise = random.normal(0, 0.08);
  let sinceNoise = 0;
  let appliances: Appliance[] = [];
  let nextAppliance = random.exponential(3600 / appliancesPerHour);
  let elapsed = 0;
  return {
    step(seconds: number, hour: number, weekend: boolean, dayOfYear: number): number {
      elapsed += seconds;
      sinceNoise += seconds;
      while (sinceNoise >= arStepSeconds) {
        sinceNoise -= arStepSeconds;
        noise = arPhi * noise + random.normal(0, arSigma);
      }
      if (appliances.length > 0) appliances = appliances.filter((each) => each.offAfter > elapsed);
      let inrush = 0;
      while (nextAppliance <= elapsed) {
        const watts = nominal * random.between(0.02, 0.07);
        appliances.push({ watts, offAfter: elapsed + random.logNormal(480, 0.8) });
        nextAppliance += random.exponential(3600 / appliancesPerHour);
        // Root mean square over one second that includes 0.2 s of sixfold starting current.
        if (random.chance(motors))
          inrush += watts * (Math.sqrt(inrushSeconds * inrushRatio ** 2 + 1 - inrushSeconds) - 1);
      }
      let watts = nominal * baseShare + inrush;
      for (const appliance of appliances) watts += appliance.watts;
      const share = profileAt(profile, hour, weekend) * seasonalLoad(dayOfYear);
      return watts + Math.max(0, nominal * 0.9 * share * (1 + noise));
    },
  };
};
