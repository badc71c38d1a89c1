import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/format.ts';
import { useNow } from './use-now.ts';

/** How long ago the last report was. */
export const LastSeen = ({ at }: { at: string | null }) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const now = useNow();
  if (at === null) return <span className="soft">{t(($) => $.never)}</span>;
  return (
    <time dateTime={at} title={formats.dateTime(at)} className="tabular nowrap">
      {formats.ago(now - Date.parse(at))}
    </time>
  );
};
