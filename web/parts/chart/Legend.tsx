import type { CSSProperties } from 'react';
import type { LegendSign } from './paint.ts';

/** Names the series of a chart; a press hides one or shows it again. */
export const Legend = ({
  signs,
  onToggle,
}: {
  signs: readonly (LegendSign & { key: string; hidden: boolean })[];
  onToggle: (key: string) => void;
}) => (
  <ul className="chart-legend">
    {signs.map(({ key, name, colour, dash, hidden }) => (
      <li key={key}>
        <button
          type="button"
          aria-pressed={!hidden}
          style={{ '--sign': colour } as CSSProperties}
          onClick={() => onToggle(key)}
        >
          <i
            aria-hidden
            className={`chart-sign ${dash === undefined ? 'is-bar' : dash === 'solid' ? 'is-line' : 'is-line is-broken'}`}
          />
          {name}
        </button>
      </li>
    ))}
  </ul>
);
