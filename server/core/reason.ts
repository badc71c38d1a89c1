import { isFault, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';

/** The sentence of a fault code that a row keeps, or null. */
export const messageOf = (
  reason: string | null,
  parameters: Readonly<Record<string, string | number>>,
  language: Language,
): string | null => (reason !== null && isFault(reason) ? sentence(reason, language, parameters) : null);
