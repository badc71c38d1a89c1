import type { Language } from '../languages.ts';
import { isFault, sentence } from './codes.ts';

/** The sentence for a refused or failed command; a reason without a sentence is shown as stored. */
export const commandReason = (reason: string, language: Language): string => {
  const code = `control.${reason.split(':').at(-1)?.trim() ?? reason}`;
  return isFault(code) ? sentence(code, language) : reason;
};
