import { useFormats } from '#web/i18n/format.ts';

export const TimeText = ({
  at,
  kind = 'dateTime',
}: {
  at: string | number | null;
  /** `day`: a calendar day without a zone. */
  kind?: 'dateTime' | 'date' | 'day' | 'time';
}) => {
  const formats = useFormats();
  if (at === null) return <span className="soft">—</span>;
  if (kind === 'day')
    return (
      <time dateTime={String(at)} className="tabular nowrap">
        {formats.day(String(at))}
      </time>
    );
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={formats.dateTime(at)} className="tabular nowrap">
      {formats[kind](at)}
    </time>
  );
};
