import { useTranslation } from 'react-i18next';
import { useManagesEveryProject } from '#web/api/session.ts';

/** Says why a page of the whole installation has no actions for an account that manages some projects only. */
export const EveryProjectNote = () => {
  const { t } = useTranslation('common');
  return useManagesEveryProject() ? null : <p className="soft">{t(($) => $.everyProjectOnly)}</p>;
};
