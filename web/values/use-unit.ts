import { useCallback } from 'react';
import { unitIn } from '#contract/unit-words.ts';
import { useLanguage } from '#web/i18n/i18n.ts';

/** A unit as readers of the language write it: `kWh` is 'кВт·ч' in Russian. */
export const useUnit = (): ((unit: string) => string) => {
  const language = useLanguage();
  return useCallback((unit: string) => unitIn(unit, language), [language]);
};
