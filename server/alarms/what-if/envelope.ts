/** Lowest and highest judged value in each interval of a period, for a chart. */
export interface Envelope {
  step_s: number;
  at: number[];
  low: number[];
  high: number[];
}
const stretches = 360;

export const createEnvelope = ({ since, until }: { since: number; until: number }) => {
  const stepMs = Math.max(1, Math.ceil((until - since) / stretches / 1000)) * 1000;
  const kept = new Map<number, { low: number; high: number }>();
  return {
    take(at: number, value: number): void {
      const index = Math.floor((at - since) / stepMs);
      const known = kept.get(index);
      if (!known) kept.set(index, { low: value, high: value });
      else if (value < known.low) known.low = value;
      else if (value > known.high) known.high = value;
    },
    drawn(): Envelope {
      const indexes = [...kept.keys()].sort((one, other) => one - other);
      return {
        step_s: stepMs / 1000,
        at: indexes.map((index) => since + index * stepMs),
        low: indexes.map((index) => kept.get(index)!.low),
        high: indexes.map((index) => kept.get(index)!.high),
      };
    },
  };
};
