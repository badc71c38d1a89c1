import { useFormats } from '../../i18n/format.ts';

export type NumberCell = string | number | Date | null;

/** A cell of a chart's numbers as the reader sees it. */
export const useNumberText = (): ((value: NumberCell) => string) => {
  const formats = useFormats();
  return (value) => {
    if (value === null) return '—';
    if (value instanceof Date) return formats.dateTime(value);
    return typeof value === 'number' ? formats.number(value, Number.isInteger(value) ? 0 : 2) : value;
  };
};
