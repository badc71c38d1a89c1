import type { Language } from '../languages.ts';
import { controlFaults } from './control.ts';
import { filled } from './filled.ts';
import type { FaultTable } from './table.ts';

const sentences: FaultTable = controlFaults;

/** The sentence for a refused or failed command; a reason without a sentence is shown as stored. */
export const commandReason = (reason: string, language: Language): string => {
  const entry = sentences[`control.${reason.split(':').at(-1)?.trim() ?? reason}`];
  return entry ? filled(entry, language) : reason;
};
