import type { Formats } from '../../i18n/format.ts';

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size as people read it, in powers of 1000 as disks are sold. */
export const bytesText = (bytes: number, formats: Pick<Formats, 'number'>): string => {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${formats.number(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
};
