import { useTranslation } from 'react-i18next';
import { momentFormats } from '#contract/moments.ts';
import { useFormats } from '#web/i18n/format.ts';

/** A time in the project's local time, like the timer's own; the reader's time follows. */
export const ZonedTime = ({ at, zone }: { at: string | null; zone: string }) => {
  const { i18n } = useTranslation();
  const formats = useFormats();
  if (at === null) return <span className="soft">—</span>;
  return (
    <time dateTime={at} title={formats.dateTime(at)} className="tabular nowrap">
      {momentFormats(i18n.language, zone).minute(at)}
    </time>
  );
};
