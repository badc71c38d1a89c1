/** Seeded streams (sfc32): the same seed and name always give the same numbers, independent of other streams. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  normal(mean?: number, deviation?: number): number;
  exponential(mean: number): number;
  logNormal(median: number, sigma: number): number;
  poisson(mean: number): number;
  gamma(shape: number): number;
}

const hash128 = (text: string): [number, number, number, number] => {
  let a = 1779033703;
  let b = 3144134277;
  let c = 1013904242;
  let d = 2773480762;
  for (let i = 0; i < text.length; i++) {
    const k = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ k, 597399067);
    b = c ^ Math.imul(b ^ k, 2869860233);
    c = d ^ Math.imul(c ^ k, 951274213);
    d = a ^ Math.imul(d ^ k, 2716044179);
  }
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0];
};

export const randomStream = (seed: string | number, name: string): Random => {
  let [a, b, c, d] = hash128(`${seed}/${name}`);
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  let spare: number | null = null;
  const normal = (mean = 0, deviation = 1) => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return mean + deviation * value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    spare = radius * Math.sin(angle);
    return mean + deviation * radius * Math.cos(angle);
  };
  const poisson = (mean: number): number => {
    if (mean <= 0) return 0;
    if (mean > 30) return Math.max(0, Math.round(normal(mean, Math.sqrt(mean))));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = next(); product > limit; product *= next()) count++;
    return count;
  };
  /** Marsaglia and Tsang, for shape ≥ 1. */
  const gamma = (shape: number): number => {
    const m = shape - 1 / 3;
    const k = 1 / Math.sqrt(9 * m);
    for (;;) {
      const x = normal();
      const v = (1 + k * x) ** 3;
      if (v > 0 && Math.log(1 - next()) < 0.5 * x * x + m - m * v + m * Math.log(v)) return m * v;
    }
  };
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    normal,
    exponential: (mean) => -mean * Math.log(1 - next()),
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    poisson,
    gamma,
  };
};
