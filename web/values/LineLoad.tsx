import { LastSeen } from './LastSeen.tsx';
import { Quantity } from './Quantity.tsx';

/** Power and current of a line, or of several; stale ones with their age if it is known. */
export const LineLoad = ({
  load: { power, current, values_at = null },
  stale,
}: {
  load: { power: number | null; current: number | null; values_at?: string | null };
  stale: boolean;
}) => (
  <>
    <Quantity value={power} unit="W" stale={stale} /> · <Quantity value={current} unit="A" stale={stale} />
    {stale && values_at !== null && (
      <span className="soft">
        {' '}
        <LastSeen at={values_at} />
      </span>
    )}
  </>
);
