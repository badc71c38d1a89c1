import { useTranslation } from 'react-i18next';
import { numberFormat } from '#web/i18n/number.ts';

const steps = [
  ['terabyte', 1e12],
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
  ['kilobyte', 1e3],
] as const;

/** '1.2 GB' in the reader's format, in powers of 1000 as disks are sold. */
export const useBytes = (): ((bytes: number) => string) => {
  const { i18n } = useTranslation();
  return (bytes) => {
    const [unit, size] = steps.find(([, least]) => bytes >= least) ?? steps[3];
    return numberFormat(i18n.language, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: 1,
    })(bytes / size);
  };
};
