/**
 * I_n = √(|I_a + a·I_b + a²·I_c|² + (Σ h3_k·I1_k)²) in A: fundamentals add as vectors, third harmonics add
 * arithmetically.
 */
export const neutralCurrent = (fundamentals: readonly number[], thirdHarmonic: number): number => {
  const [a = 0, b = 0, c = 0] = fundamentals;
  const vector = a * a + b * b + c * c - a * b - b * c - c * a;
  const third = thirdHarmonic * (a + b + c);
  return Math.sqrt(Math.max(0, vector) + third * third);
};
