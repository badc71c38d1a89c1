/** With `BENCH_SCALE=0.01` a benchmark works with a hundredth of its rows: to see that it works, not what it measures. */
const scale = Number(process.env['BENCH_SCALE'] ?? 1);

export const scaled = (count: number): number => Math.max(1, Math.round(count * scale));
