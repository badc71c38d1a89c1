import type { Random } from '../random.ts';

/** Q = P·tanφ in var for a power factor in (0, 1]. */
export const reactivePower = (watts: number, powerFactor: number) => watts * Math.tan(Math.acos(powerFactor));

/** I = √(P² + Q²) / U in A; 0 without voltage. */
export const phaseCurrent = (watts: number, vars: number, volts: number) =>
  volts > 1 ? Math.hypot(watts, vars) / volts : 0;

/** max|x − x̄| / x̄ in %; 0 when nothing flows. */
export const unbalancePercent = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (mean <= 0) return 0;
  return (Math.max(...values.map((value) => Math.abs(value - mean))) / mean) * 100;
};

/** Shares of the phases, Dirichlet(α): α = 20 gives a median unbalance near 20 %, α = 12 near 26 %. */
export const splitOverPhases = (random: Random, alpha = 20): number[] => {
  const draws = [random.gamma(alpha), random.gamma(alpha), random.gamma(alpha)];
  const sum = draws.reduce((total, draw) => total + draw, 0);
  return draws.map((draw) => draw / sum);
};

/** Loop impedance of a low-voltage feeder in Ω, smaller for conductors with a larger rated current. */
export const loopImpedance = (ratedCurrent: number) => 0.15 * Math.min(1, 40 / ratedCurrent);

/** √Σh² of harmonic shares. */
export const totalDistortion = (harmonics: readonly number[]) => Math.hypot(...harmonics);

/** Voltages with a broken neutral: the star point moves towards phase a by `shift` of the phase voltage. */
export const starPointShift = (shift: number): [number, number, number] => {
  const other = Math.hypot(-0.5 - shift, Math.sqrt(3) / 2);
  return [1 - shift, other, other];
};
