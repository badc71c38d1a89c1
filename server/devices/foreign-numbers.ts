import { createBuckets } from '#server/core/buckets.ts';
import { fault } from '#server/core/fault.ts';
import type { Caller } from '#server/core/session.ts';

/**
 * Each refusal of another tenant's number reveals that the number exists: an account gets only a few of them.
 */
const burst = 20;
const anHour = 3600;

export interface ForeignNumbers {
  /**
   * Throws `request.tooMany` for every number, free or not, after the account has tried too many foreign
   * ones.
   */
  admit(): void;
  /** Counts foreign numbers that the account tried. Throws `request.tooMany` if there are too many. */
  met(count: number): void;
}

/** Prevents accounts that do not see every device from finding out which numbers exist. */
export const createForeignNumbers = () => {
  const buckets = createBuckets({ burst, perSecond: burst / anHour });
  return ({ userId, scope }: Pick<Caller, 'userId' | 'scope'>, now: number): ForeignNumbers => {
    const take = (count: 0 | 1) => {
      const waitMs = scope.all ? 0 : buckets(String(userId), now, count);
      if (waitMs > 0) fault('request.tooMany', { with: { seconds: Math.ceil(waitMs / 1000) } });
    };
    return {
      admit: () => take(0),
      met: (count) => {
        for (let index = 0; index < count; index += 1) take(1);
      },
    };
  };
};
