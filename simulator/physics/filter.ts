export const harmonicOrders = [3, 5, 7, 9, 11, 13] as const;
export const electronicHarmonics = [0.6, 0.35, 0.2, 0.12, 0.08, 0.06] as const;
const sixPulseHarmonics = [0.05, 0.2, 0.12, 0.01, 0.08, 0.06] as const;
const filterEfficiency = [0.85, 0.8, 0.75, 0.6, 0.6, 0.6] as const;
/** Own loss as a share of apparent power. */
export const filterLoss = 0.008;

/**
 * Harmonic shares of a load with a share `electronic` (0…1) of rectifiers; the rest are drives with few
 * harmonics.
 */
export const loadHarmonics = (electronic: number): number[] =>
  electronicHarmonics.map((share, i) => electronic * share + (1 - electronic) * 0.25 * sixPulseHarmonics[i]!);

/** h_out = h_in·(1 − η); η decreases by 2e-4 a day; `health` scales η (1 = sound, 0 = no effect). */
export const filteredHarmonics = (harmonics: readonly number[], ageDays: number, health: number): number[] =>
  harmonics.map((share, i) => share * (1 - filterEfficiency[i]! * (1 - 2e-4) ** ageDays * health));

/** Voltage distortion Σ(n·X_s·I_n/U)² in %, from fundamental current and harmonic shares. */
export const voltageDistortion = (
  fundamental: number,
  harmonics: readonly number[],
  volts: number,
  sourceReactance = 0.04,
): number => {
  if (volts < 1) return 0;
  let sum = 0;
  for (let i = 0; i < harmonics.length; i++)
    sum += ((harmonicOrders[i]! * sourceReactance * fundamental * harmonics[i]!) / volts) ** 2;
  return Math.sqrt(sum) * 100;
};
