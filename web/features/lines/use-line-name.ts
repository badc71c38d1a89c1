import { useTranslation } from 'react-i18next';
import type { Line } from './lines.query.ts';

/** A line by its number and name, for screen readers and titles. */
export const useLineName = (): ((line: Pick<Line, 'n' | 'name'>) => string) => {
  const { t } = useTranslation('lines');
  return ({ n, name }) => (name ? t(($) => $.name, { n, name }) : t(($) => $.unnamed, { n }));
};
