import type { Language } from '../languages.ts';
import { isFault, sentence } from './codes.ts';

/** The sentence of why a command was refused or failed; a reason without one as it was stored. */
export const commandReason = (reason: string, language: Language): string => {
  const code = `control.${reason.split(':').at(-1)?.trim() ?? reason}`;
  return isFault(code) ? sentence(code, language) : reason;
};
