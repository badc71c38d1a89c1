/** What usually lies behind an alarm type, and what to check first. */
export interface Advice {
  readonly causes: readonly string[];
  readonly checks: readonly string[];
}
/** By alarm code; every type of the catalogue has its advice. */
export type Guidance = Readonly<Record<number, Advice>>;
