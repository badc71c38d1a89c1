/** Time constant in s and temperature rise at rated current in K, for each sensor location. */
const thermalPlaces = {
  terminal: { tau: 900, rise: 35 },
  cable: { tau: 1800, rise: 30 },
  case: { tau: 3600, rise: 18 },
} as const;
type ThermalPlace = keyof typeof thermalPlaces;

export const cabinetRise = 6;

/** Outdoor ambient in °C at a local hour and day of the year (warmest in mid July). */
export const ambientTemperature = (hour: number, dayOfYear: number) =>
  22 + 6 * Math.sin((2 * Math.PI * (hour - 9)) / 24) + 4 * Math.sin((2 * Math.PI * (dayOfYear - 105)) / 365);

/** Final temperature of a location at a steady load: T_amb + ΔT_n·κ·(I/In)². */
export const steadyTemperature = (place: ThermalPlace, ambient: number, loadRatio: number, kappa = 1) =>
  ambient + thermalPlaces[place].rise * kappa * loadRatio * loadRatio;

/** One step towards the steady temperature, exact for any step length. */
export const stepTemperature = (
  place: ThermalPlace,
  temperature: number,
  seconds: number,
  ambient: number,
  loadRatio: number,
  kappa = 1,
): number => {
  const steady = steadyTemperature(place, ambient, loadRatio, kappa);
  return temperature + (1 - Math.exp(-seconds / thermalPlaces[place].tau)) * (steady - temperature);
};

/**
 * The resistance of a loose joint grows, faster above 70 °C (runaway). `rate` is the growth of κ per second
 * when cool.
 */
export const stepLooseness = (kappa: number, seconds: number, rate: number, temperature: number) =>
  Math.min(12, kappa + rate * (1 + 0.05 * Math.max(0, temperature - 70)) * seconds);
