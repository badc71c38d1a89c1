import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import type { EnergyMark } from '#contract/statistics.ts';
import { energyMarkWords } from '#contract/statistics-columns.ts';
import { useFormats } from '#web/i18n/format.ts';

/** How the energy of a row was determined, in words. */
export const useMarks = (): ((marks: readonly EnergyMark[]) => string) => {
  const { i18n } = useTranslation();
  const { list: listOf } = useFormats();
  return (marks) => listOf(marks.map((mark) => energyMarkWords[mark][i18n.language as Language]));
};
const enough = 0.9;
/** Whether a bucket is hatched: partly unknown, or without readings that date its energy. */
export const isGuessed = ({
  coverage,
  marks,
}: {
  coverage: number | null;
  marks: readonly EnergyMark[];
}): boolean =>
  (coverage !== null && coverage < enough) || marks.includes('estimated') || marks.includes('unallocated');
