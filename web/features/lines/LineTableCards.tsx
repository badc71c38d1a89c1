import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LineTableRow } from '#contract/line-table.ts';
import { useRowHeight } from '#web/parts/table/use-row-height.ts';
import { useWindow } from '#web/parts/table/use-window.ts';
import { LineClosest, LineFigure, LineMarks, LineName, LinePosition } from './LineTableCells.tsx';
import { mostNameLines, nameLinePx } from './line-name-room.ts';

const figures = [
  ['current', 'A'],
  ['power', 'W'],
  ['leakage', 'mA'],
  ['temperature', '°C'],
] as const;

/** Height of a card without its names, px, in a window of 320 px. */
const cardPx = 240;
/** Width for a name in a window of 320 px. */
const narrowestEm = 17;

/**
 * The table on a phone. All cards have the same height and scroll with the page; only visible ones are drawn.
 */
export const LineTableCards = ({
  label,
  rows,
  rowClass,
}: {
  label: string;
  rows: readonly LineTableRow[];
  rowClass: (row: LineTableRow) => string;
}) => {
  const { t } = useTranslation('lines');
  const list = useRef<HTMLUListElement>(null);
  const names = useMemo(() => mostNameLines(rows, narrowestEm), [rows]);
  const height = useRowHeight(cardPx + nameLinePx * names);
  const { from, to } = useWindow(rows.length, height, list);
  return (
    <ul ref={list} className="line-rows" aria-label={label} style={{ height: rows.length * height }}>
      {rows.slice(from, to).map((row, index) => (
        <li
          key={row.line_id}
          aria-setsize={rows.length}
          aria-posinset={from + index + 1}
          style={{ top: (from + index) * height, height }}
        >
          <div className={`data-card ${rowClass(row)}`}>
            <LineName row={row} t={t} />
            <span className="line-row-state">
              <LinePosition row={row} t={t} />
              <LineMarks row={row} t={t} />
            </span>
            <LineClosest row={row} t={t} />
            <dl className="line-row-figures">
              {figures.map(([field, unit]) => (
                <div key={field}>
                  <dt>{t(($) => $.table.figure[field])}</dt>
                  <dd>
                    <LineFigure row={row} field={field} unit={unit} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        </li>
      ))}
    </ul>
  );
};
