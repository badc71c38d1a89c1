import { useTranslation } from 'react-i18next';
import { useLink } from '#web/api/link-state.ts';
import { useSessionEnd } from '#web/api/session-end.ts';
import { useFormats } from '#web/i18n/format.ts';

/**
 * Why nothing may be switched from this screen now: its data is old, because the server cannot be reached or the
 * session has ended.
 */
export const useCutRefusal = (): string | null => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const since = useLink((link) => (link.state === 'cut' ? link.since : null));
  const over = useSessionEnd((end) => end.over);
  if (since === null) return null;
  return t(($) => (over ? $.endedRefusal : $.cutRefusal), { time: formats.since(since) });
};
