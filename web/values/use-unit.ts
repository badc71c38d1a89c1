import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { unitIn } from '#contract/unit-words.ts';

/** A unit as readers of the language write it: `kWh` is 'кВт·ч' in Russian. */
export const useUnit = (): ((unit: string) => string) => {
  const { i18n } = useTranslation();
  const language = i18n.language as Language;
  return useCallback((unit: string) => unitIn(unit, language), [language]);
};
