import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useUnit } from '#web/values/use-unit.ts';
import type { TrendRow } from './trends.ts';

/** The meaning of a trend, in a sentence. */
export const useTrendWords = () => {
  const { t } = useTranslation('trends');
  const formats = useFormats();
  const unitOf = useUnit();
  const amount = (value: number, unit: string, digits: number) =>
    `${formats.number(value, digits)}\u00a0${unitOf(unit)}`;
  const leakageText = (leakage: TrendRow['leakage']): string => {
    if (!leakage) return t(($) => $.sign.none);
    const { slope, now, limit, rising, days_to_limit } = leakage;
    if (!rising) return t(($) => $.sign.leakageCalm, { now: amount(Math.max(0, now), 'mA', 1) });
    const values = { slope: amount(slope, 'mA', 2), limit: amount(limit, 'mA', 0) };
    if (days_to_limit === null) return t(($) => $.sign.leakageSlow, values);
    return days_to_limit < 1
      ? t(($) => $.sign.leakageOver, values)
      : t(($) => $.sign.leakageDays, { ...values, days: formats.number(days_to_limit) });
  };
  const jointText = (joint: TrendRow['joint']): string => {
    if (!joint) return t(($) => $.sign.none);
    const [now, before] = [amount(joint.now, 'K', 0), amount(joint.before, 'K', 0)];
    return joint.rising ? t(($) => $.sign.jointRising, { now, before }) : t(($) => $.sign.jointCalm, { now });
  };
  const arcText = (arcs: TrendRow['arcs']): string => {
    if (!arcs) return t(($) => $.sign.none);
    const values = { arcs: formats.number(arcs.last_day) };
    return arcs.rising ? t(($) => $.sign.arcsRising, values) : t(($) => $.sign.arcsCalm, values);
  };
  return { leakageText, jointText, arcText, amount };
};
