/** The path of a sparkline in a box of `width` by `height`, scaled from `low` to `high`, with gaps. */
export const sparkPath = (
  values: readonly (number | null)[],
  { low, high }: { low: number; high: number },
  { width, height }: { width: number; height: number },
): string => {
  const span = high - low;
  const place = (value: number, index: number) => {
    const x = (index / Math.max(1, values.length - 1)) * width;
    const y = span === 0 ? height / 2 : height - ((value - low) / span) * height;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return values
    .flatMap((value, index) => {
      if (value === null) return [];
      const before = values[index - 1] ?? null;
      const after = values[index + 1] ?? null;
      // A minute between two gaps is a dot: a line of zero length with round ends.
      if (before === null && after === null) return [`M${place(value, index)}h0`];
      return [`${before === null ? 'M' : 'L'}${place(value, index)}`];
    })
    .join('');
};
