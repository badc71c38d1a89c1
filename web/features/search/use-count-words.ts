import { useTranslation } from 'react-i18next';
import type { CountWords } from '#web/parts/search-hits.ts';

export const useCountWords = (): CountWords => {
  const { t } = useTranslation('search');
  return {
    waiting: (count) => t(($) => $.waiting, { count }),
    projects: (count) => t(($) => $.projects, { count }),
  };
};
