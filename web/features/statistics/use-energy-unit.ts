import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useLanguage } from '#web/i18n/i18n.ts';
import { type EnergyScale, scaleFor } from './search.ts';

export interface EnergyUnit {
  name: string;
  /** A number of kWh in the unit of the screen; null: not known. */
  scaled: (kwh: number | null) => number | null;
  /** The number in the screen's unit, without its name; null: '—'. */
  text: (kwh: number | null) => string;
  /** The number with a unit that fits it, unless the reader chose a unit. */
  full: (kwh: number | null) => string;
}
const digitsOf: Record<EnergyScale, number> = { '0': 2, '3': 3, '4': 4, '6': 6 };
const factorOf = (scale: EnergyScale) => 10 ** Number(scale);

/** The reader's unit, else one for the largest number of the screen. */
export const useEnergyUnit = (chosen: EnergyScale | undefined, largestKWh: number): EnergyUnit => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const language = useLanguage();
  const scale = chosen ?? scaleFor(largestKWh, language);
  const factor = factorOf(scale);
  const scaled = useCallback((kwh: number | null) => (kwh === null ? null : kwh / factor), [factor]);
  const text = useCallback(
    (kwh: number | null) => (kwh === null ? '—' : formats.number(kwh / factor, digitsOf[scale])),
    [formats, factor, scale],
  );
  const full = useCallback(
    (kwh: number | null) => {
      if (kwh === null) return '—';
      const own = chosen ?? scaleFor(Math.abs(kwh), language);
      return `${formats.number(kwh / factorOf(own), digitsOf[own])}\u00a0${t(($) => $.unit[own])}`;
    },
    [chosen, formats, language, t],
  );
  return { name: t(($) => $.unit[scale]), scaled, text, full };
};
