import type { FormRule } from 'antd';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { writeNumber } from '#web/i18n/number.ts';

export interface Bounds {
  min: number;
  max: number;
  /** Maximum number of decimals. */
  digits: number;
  /** 0 is allowed although it is below the minimum. */
  zeroIsOff?: boolean;
}

/** Decimals of values on a grid of steps. */
export const digitsOf = (step: number): number => (step >= 1 ? 0 : step >= 0.1 ? 1 : 2);

/** The error of a typed number, with the violated bound; null for a valid or an empty one. */
export const numberFlaw = (
  value: number | null | undefined,
  { min, max, digits, zeroIsOff = false }: Bounds,
  language: Language,
): string | null => {
  if (value === null || value === undefined || (value === 0 && zeroIsOff)) return null;
  if (Number.isNaN(value)) return sentence('field.number', language);
  if (value < min) return sentence('field.least', language, { limit: writeNumber(min, language) });
  if (value > max) return sentence('field.most', language, { limit: writeNumber(max, language) });
  const isCoarse = Math.abs(value * 10 ** digits - Math.round(value * 10 ** digits)) < 1e-6;
  return isCoarse
    ? null
    : sentence(digits === 0 ? 'field.whole' : 'field.decimals', language, { limit: String(digits) });
};

/** That error as a rule of a form field. */
export const numberRule = (bounds: Bounds): FormRule => ({
  validator: (_, value: number | null | undefined) => {
    const flaw = numberFlaw(value, bounds, currentLanguage());
    return flaw === null ? Promise.resolve() : Promise.reject(new Error(flaw));
  },
});
