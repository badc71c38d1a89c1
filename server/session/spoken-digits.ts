import { digitWords, spokenIntroduction } from '#contract/digit-words.ts';
import type { Language } from '#contract/languages.ts';

/** The digits as words of the reader's language, for those who cannot see the image. */
export const spokenDigits = (digits: string, language: Language): string => {
  const words = digitWords[language];
  return spokenIntroduction[language].replace(
    '{digits}',
    [...digits].map((digit) => words[Number(digit)]).join(', '),
  );
};
