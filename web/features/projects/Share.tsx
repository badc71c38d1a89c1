import { useFormats } from '../../i18n/format.ts';

/** A share as number and bar, with the counts it comes from; a dash where there is nothing to share. */
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
