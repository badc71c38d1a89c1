import { useFormats } from '#web/i18n/format.ts';

/** A share as number and bar, with its counts; a dash if there is nothing to divide. */
export const Share = ({ share, note }: { share: number | null; note: string }) => {
  const formats = useFormats();
  if (share === null) return <span className="soft">—</span>;
  return (
    <span className="share">
      <meter min={0} max={1} value={share} aria-hidden="true" />
      <span className="tabular">{formats.percent(share)}</span>
      <span className="soft tabular">{note}</span>
    </span>
  );
};
