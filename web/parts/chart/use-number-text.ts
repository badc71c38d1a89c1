import { useFormats } from '#web/i18n/format.ts';

export type NumberCell = string | number | Date | null;

/** Formats a cell of a chart's numbers for the reader. */
export const useNumberText = (): ((value: NumberCell) => string) => {
  const formats = useFormats();
  return (value) => {
    if (value === null) return '—';
    if (value instanceof Date) return formats.dateTime(value);
    return typeof value === 'number' ? formats.number(value, Number.isInteger(value) ? 0 : 2) : value;
  };
};
