import { useTranslation } from 'react-i18next';
import { useLink } from '#web/api/link-state.ts';
import { useFormats } from '#web/i18n/format.ts';

/**
 * Why nothing may be switched from this screen now: its data is old, because the server cannot be reached.
 */
export const useCutRefusal = (): string | null => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const since = useLink((link) => (link.state === 'cut' ? link.since : null));
  return since === null ? null : t(($) => $.cutRefusal, { time: formats.since(since) });
};
