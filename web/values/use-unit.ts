import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { common } from '../parts/words/en-US.ts';

/** A unit as readers of the language write it; `kWh` is 'кВт·ч' in Russian, `K/min` stays where it has no own sign. */
export const useUnit = (): ((unit: string) => string) => {
  const { t, i18n } = useTranslation('common');
  return useCallback(
    (unit: string) =>
      unit !== '' && i18n.exists(`unit.${unit}`, { ns: 'common' })
        ? t(($) => $.unit[unit as keyof typeof common.unit])
        : unit,
    [t, i18n],
  );
};
