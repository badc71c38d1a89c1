/** The slot in the grid to which a key leads; null if there is none. `heights`: slots of each day. */
export const placeAfter = (
  key: string,
  [day, slot]: readonly [day: number, slot: number],
  heights: readonly number[],
): readonly [day: number, slot: number] | null => {
  const height = heights[day] ?? 0;
  const beside = (step: 1 | -1): readonly [number, number] | null => {
    for (let other = day + step; other >= 0 && other < heights.length; other += step) {
      const most = heights[other]!;
      if (most > 0) return [other, Math.min(slot, most - 1)];
    }
    return null;
  };
  switch (key) {
    case 'ArrowDown':
      return slot + 1 < height ? [day, slot + 1] : null;
    case 'ArrowUp':
      return slot > 0 ? [day, slot - 1] : null;
    case 'ArrowRight':
      return beside(1);
    case 'ArrowLeft':
      return beside(-1);
    case 'Home':
      return [day, 0];
    case 'End':
      return [day, height - 1];
    default:
      return null;
  }
};
