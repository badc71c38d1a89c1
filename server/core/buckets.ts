interface Bucket {
  left: number;
  at: number;
}

/**
 * Takes `take` tokens from the key's bucket. Returns 0 if it succeeded, else the milliseconds until a token
 * is available. With `take` 0 it only checks.
 */
export type Buckets = (key: string, now: number, take?: 0 | 1) => number;

/**
 * Token buckets by key: each allows `burst` at once and `perSecond` in the long run. At most `mostKeys` are
 * remembered; the least recently used one is forgotten first.
 */
export const createBuckets = ({
  burst,
  perSecond,
  mostKeys = 20_000,
}: {
  burst: number;
  perSecond: number;
  mostKeys?: number;
}): Buckets => {
  const buckets = new Map<string, Bucket>();
  return (key, now, take = 1) => {
    const known = buckets.get(key);
    const gained = known ? (Math.max(0, now - known.at) * perSecond) / 1000 : burst;
    const left = Math.min(burst, (known?.left ?? 0) + gained);
    buckets.delete(key);
    buckets.set(key, { left: left >= 1 ? left - take : left, at: now });
    if (buckets.size > mostKeys) buckets.delete(buckets.keys().next().value!);
    return left >= 1 ? 0 : Math.ceil(((1 - left) / perSecond) * 1000);
  };
};
