import { createBuckets } from './buckets.ts';
import { fault } from './fault.ts';
import type { Caller } from './session.ts';

/**
 * Names that are unique in the installation: device numbers, usernames. Each refusal of another tenant's name reveals
 * that the name exists: an account gets only a few of them.
 */
const burst = 20;
const anHour = 3600;

export interface ForeignNames {
  /**
   * Throws `request.tooMany` for every name, free or not, after the account has tried too many foreign ones.
   */
  admit(): void;
  /** Counts foreign names that the account tried. Throws `request.tooMany` if there are too many. */
  met(count: number): void;
}
type NamesFor = (caller: Pick<Caller, 'userId' | 'scope'>, now: number) => ForeignNames;

/** Prevents accounts that do not see everything from finding out which names exist. */
export const createForeignNames = (): NamesFor => {
  const buckets = createBuckets({ burst, perSecond: burst / anHour });
  return ({ userId, scope }, now) => {
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
