const steps = [1, 2, 2.5, 5, 10];

export interface Ticks {
  min: number;
  max: number;
  values: readonly number[];
}
/** Round numbers that enclose zero and all values, about as many as wanted; `whole` forbids fractions. */
export const ticksOf = (
  lowest: number,
  highest: number,
  { about, whole = false, top }: { about: number; whole?: boolean; top?: number | undefined },
): Ticks => {
  const low = Math.min(0, lowest);
  const high = Math.max(0, top ?? highest);
  const span = high - low || 1;
  const rough = span / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = (steps.find((step) => step * power >= rough * 0.999_999) ?? 10) * power;
  const step = whole ? Math.max(1, Math.ceil(round)) : round;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil((low + span) / step - 1e-9)];
  const values = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { min: values[0]!, max: values.at(-1)!, values };
};
