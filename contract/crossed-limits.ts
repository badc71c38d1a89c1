import { effectiveValue, type ratingsOf } from './alarm-catalogue.ts';
import { brokenPairs, orderedPairs } from './parameters.ts';

/** The other half of a pair that a value of this line would cross; null: none. */
export const crossedBy = (key: string, line: Parameters<typeof ratingsOf>[0]): string | null => {
  const pairs = orderedPairs.filter((pair) => pair.includes(key));
  const values = Object.fromEntries(pairs.flat().map((each) => [each, effectiveValue(each, line)]));
  const broken = brokenPairs(values).find((pair) => pair.includes(key));
  return broken?.find((each) => each !== key) ?? null;
};
