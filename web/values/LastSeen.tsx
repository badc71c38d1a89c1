import { useFormats } from '#web/i18n/format.ts';
import { useValueWords } from '#web/i18n/i18n.ts';
import { useNow } from './use-now.ts';

/** How long ago the last report was. */
export const LastSeen = ({ at }: { at: string | null }) => {
  const t = useValueWords();
  const formats = useFormats();
  const now = useNow();
  if (at === null) return <span className="soft">{t(($) => $.never)}</span>;
  return (
    <time dateTime={at} title={formats.dateTime(at)} className="tabular nowrap">
      {formats.ago(now - Date.parse(at))}
    </time>
  );
};
