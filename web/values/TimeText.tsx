import { useFormats } from '../i18n/format.ts';

export const TimeText = ({
  at,
  kind = 'dateTime',
}: {
  at: string | number | null;
  kind?: 'dateTime' | 'date' | 'time';
}) => {
  const formats = useFormats();
  if (at === null) return <span className="soft">—</span>;
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={formats.dateTime(at)} className="tabular nowrap">
      {formats[kind](at)}
    </time>
  );
};
