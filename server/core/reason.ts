import { isFault, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';

/** The sentence of a fault code stored in a row, or null. */
export const messageOf = (
  reason: string | null,
  parameters: Readonly<Record<string, string | number>>,
  language: Language,
): string | null => (reason !== null && isFault(reason) ? sentence(reason, language, parameters) : null);

/** Reasons of the guard, the device and the server as sentences; an unknown one is shown unchanged. */
export const reasonSentence = (reason: string | null, language: Language): string | null => {
  if (reason === null) return null;
  if (isFault(reason)) return sentence(reason, language);
  if (reason === 'missing') return sentence('device.missing', language);
  if (reason === 'changed_on_device') return sentence('thing.changed', language);
  const code = [`setting.${reason}`, `control.${reason}`].find(isFault);
  return code ? sentence(code, language) : reason;
};
