import type { AlarmCode } from '#contract/alarm-codes.ts';

/** Usual causes of an alarm type, and what to check first. */
interface Advice {
  readonly causes: readonly string[];
  readonly checks: readonly string[];
}
/** Advice by alarm code; a site's own codes have none. */
export type Guidance = Readonly<Record<number, Advice>>;
/** Every type of the catalogue has its advice. */
export type GuidanceOfAll = Readonly<Record<AlarmCode, Advice>>;
