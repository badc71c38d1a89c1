/** (a − b) / b; 0 if both are 0, null if only b is: 'new'. Source: domain reference §5.3. */
export const growthOf = (current: number, before: number): number | null =>
  before === 0 ? (current === 0 ? 0 : null) : (current - before) / before;
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
