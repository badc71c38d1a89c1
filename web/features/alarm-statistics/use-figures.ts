import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';

/** Formats rates, growths and durations; null has its own word. */
export const useFigures = () => {
  const { t } = useTranslation('alarmStatistics');
  const formats = useFormats();
  return {
    count: (value: number) => formats.number(value),
    rate: (value: number | null) => (value === null ? '—' : formats.percent(value)),
    duration: (value: number | null) => (value === null ? '—' : formats.interval(value)),
    growth: (value: number | null) =>
      value === null ? t(($) => $.fresh) : `${value > 0 ? '+' : ''}${formats.percent(value)}`,
  };
};
