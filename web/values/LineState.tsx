import { useTranslation } from 'react-i18next';

export type Position = 'closed' | 'open' | 'unknown';
const drawings: Record<Position, string> = {
  closed: 'M2 8H22',
  open: 'M2 8H8M8 8L17 2M18 8H22',
  unknown: 'M2 8H6M18 8H22',
};

/**
 * The observed position of a line. Closed is a filled block, open an empty frame, unknown a dashed one; each
 * with its symbol and word, so that they are distinguishable in print, in the dark and for colour-blind
 * readers.
 */
export const LineState = ({ state, stale = false }: { state: Position; stale?: boolean }) => {
  const { t } = useTranslation('common');
  return (
    <span className={`line-state line-${state}${stale ? ' is-stale' : ''}`}>
      <svg viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
        <path d={drawings[state]} />
        {state === 'unknown' ? (
          <text x="12" y="13" textAnchor="middle">
            ?
          </text>
        ) : (
          <>
            <circle cx="8" cy="8" r="2.2" />
            <circle cx="17" cy="8" r="2.2" />
          </>
        )}
      </svg>
      {t(($) => $.position[state])}
    </span>
  );
};
