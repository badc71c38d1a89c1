import { useValueWords } from '#web/i18n/i18n.ts';

type Position = 'closed' | 'open' | 'unknown';
/** Both contacts. They are points that appear round because the stroke is wide. */
const contacts =
  'M6.8 8a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0M15.8 8a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0';
const drawings: Record<Position, string> = {
  closed: `M2 8H22${contacts}`,
  open: `M2 8H8M8 8L17 2M18 8H22${contacts}`,
  unknown: 'M2 8H6M18 8H22',
};

/**
 * The observed position of a line. Closed is a filled block, open an empty frame, unknown a dashed one; each
 * with its symbol and word, so that they are distinguishable in print, in the dark and for colour-blind
 * readers.
 */
export const LineState = ({ state, stale = false }: { state: Position; stale?: boolean }) => {
  const t = useValueWords();
  return (
    <span className={`line-state line-${state}${stale ? ' is-stale' : ''}`}>
      <svg viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">
        <path d={drawings[state]} />
        {state === 'unknown' && (
          <text x="12" y="13" textAnchor="middle">
            ?
          </text>
        )}
      </svg>
      {t(($) => $.position[state])}
    </span>
  );
};
