/** How long an answer is fresh, and how long an older answer is still used while a new one is calculated. */
export interface Keep {
  freshMs: number;
  shownMs: number;
}
interface Entry {
  at: number;
  answer: Promise<unknown>;
  renewing: boolean;
}
const most = 1000;

export type Memory = <Answer>(
  key: string,
  keep: Keep,
  now: number,
  compute: () => Promise<Answer>,
) => Promise<Answer>;

/**
 * One calculation for all who need the same: a fresh answer is reused, an older one is returned while it is
 * renewed in the background, and one that is too old is calculated again. A failed calculation is not
 * remembered.
 */
export const createMemory = (): Memory => {
  const entries = new Map<string, Entry>();
  return <Answer>(key: string, keep: Keep, now: number, compute: () => Promise<Answer>) => {
    const begin = (): Promise<Answer> => {
      const answer = compute();
      const entry = { at: now, answer, renewing: false };
      entries.delete(key);
      entries.set(key, entry);
      answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      if (entries.size > most) entries.delete(entries.keys().next().value!);
      return answer;
    };
    const known = entries.get(key);
    const age = known ? now - known.at : Number.POSITIVE_INFINITY;
    // An answer from the future is from before the clock was set back: nobody knows its age.
    if (!known || age > keep.shownMs || age < -keep.freshMs) return begin();
    if (age > keep.freshMs && !known.renewing) {
      known.renewing = true;
      compute().then(
        (answer) => entries.set(key, { at: now, answer: Promise.resolve(answer), renewing: false }),
        () => {
          known.renewing = false;
        },
      );
    }
    return known.answer as Promise<Answer>;
  };
};
