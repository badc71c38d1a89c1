import { useTranslation } from 'react-i18next';
import { useLink } from '#web/api/link-state.ts';
import { useFormats } from '#web/i18n/format.ts';

/** Words for figures that are dimmed without contact to the server: then they say of what time the figures are. */
export const useAsOf = (): ((what: string) => string) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const since = useLink((link) => (link.state === 'cut' ? link.since : null));
  return (what) => (since === null ? what : t(($) => $.asOf, { what, time: formats.since(since) }));
};
