import {
  type CSSProperties,
  memo,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { usePrefs } from '#web/theme/prefs.ts';
import type { SetUrl } from '../url-state.ts';
import './long-grid.css';
import { cellClass, cellRole } from './cell-class.ts';
import { SortHead } from './SortHead.tsx';
import './table.css';
import type { DataColumn, ListState } from './types.ts';
import { useRowHeight } from './use-row-height.ts';
import { type Drawn, stride, useWindow } from './use-window.ts';

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const ends: Readonly<Record<string, number>> = { Home: 0, End: Number.MAX_SAFE_INTEGER };

/**
 * A thousand and more rows under a header that stays visible: only visible rows are drawn. All have the same
 * height; columns have fixed widths. j k, the arrows, Home, End and the page keys move from row to row; Enter
 * opens one.
 */
export const LongGrid = <Row,>({
  label,
  columns,
  rows,
  rowId,
  rowClass,
  rowPx = 0,
  state,
  onState,
}: {
  label: string;
  columns: readonly DataColumn<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => number;
  rowClass: (row: Row) => string;
  /** The least height of a row, px at normal text size: for names of several lines. */
  rowPx?: number;
  state: ListState;
  onState: SetUrl;
}) => {
  const frame = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const density = usePrefs((prefs) => prefs.density);
  const rowHeight = useRowHeight(Math.max(rowPx, density === 'comfortable' ? 60 : 52));
  const drawn = useWindow(rows.length, rowHeight, body, frame);
  const room = roomOf(columns);
  const isSwept = useIsSwept(frame, room.total);
  const { here, move } = useMovingFocus(rows.length, rowHeight, frame, body);
  const press = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2);
    const step = steps[event.key] ?? { PageDown: page, PageUp: -page }[event.key];
    const to = ends[event.key] ?? (step === undefined ? undefined : (here ?? -1) + step);
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <section
      ref={frame}
      className={`data-grid long-grid is-${density}${isSwept ? ' is-swept' : ''}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onKeyDown={press}
      style={{ '--row-height': `${rowHeight}px`, '--columns': room.columns } as CSSProperties}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1} style={{ minWidth: room.total }}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column, index) => (
              <SortHead
                key={column.key}
                column={column}
                className={cellClass(column, index)}
                style={noStyle}
                state={state}
                onState={onState}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={body} aria-hidden="true" style={{ height: rows.length * rowHeight }} />
        {blocksOf(drawn).map(({ from, to }) => (
          // Positioned from the bottom, because the height of the header is unknown.
          <tbody key={from} className="long-block" style={{ bottom: (rows.length - to) * rowHeight }}>
            {rows.slice(from, to).map((row, index) => (
              <LongRow
                key={rowId(row)}
                row={row}
                index={from + index}
                columns={columns as readonly DataColumn<unknown>[]}
                className={`long-row ${rowClass(row)}${here === from + index ? ' is-here' : ''}`}
              />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
};

/** The drawn rows in blocks that are added and removed as a whole: the browser lays out and paints only new blocks. */
const blocksOf = ({ from, to }: Drawn): readonly Drawn[] => {
  const blocks: Drawn[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / stride) + 1) * stride);
    blocks.push({ from: at, to: end });
    at = end;
  }
  return blocks;
};

const usualWidth = 120;
const noStyle: CSSProperties = {};
/**
 * Each row lays out its own cells, so that a new row does not change the layout of the table. Columns share the
 * remaining width.
 */
const roomOf = (columns: readonly Pick<DataColumn<unknown>, 'width'>[]) => {
  const widths = columns.map(({ width = usualWidth }) => width);
  return {
    columns: widths.map((width) => `minmax(0, ${width}fr)`).join(' '),
    total: `${widths.reduce((sum, width) => sum + width, 0) / 16}rem`,
  };
};

/** Whether the columns need more room than there is: only then does the first one stay while they scroll. */
const useIsSwept = (frame: RefObject<HTMLElement | null>, total: string): boolean => {
  const [isSwept, setSwept] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns need other room
  useLayoutEffect(() => {
    const outer = frame.current;
    if (!outer) return;
    const look = () => setSwept(outer.scrollWidth > outer.clientWidth);
    const observer = new ResizeObserver(look);
    observer.observe(outer);
    look();
    return () => observer.disconnect();
  }, [frame, total]);
  return isSwept;
};

/** Redrawn only when its own row or the columns change. */
const LongRow = memo(
  ({
    row,
    index,
    columns,
    className,
  }: {
    row: unknown;
    index: number;
    columns: readonly DataColumn<unknown>[];
    className: string;
  }) => (
    <tr aria-rowindex={index + 2} className={className} data-row={index}>
      {columns.map((column, place) => (
        <td key={column.key} role={cellRole(place)} className={cellClass(column, place)}>
          {column.render(row)}
        </td>
      ))}
    </tr>
  ),
);

/** The current row for keys: scrolled into view, and its first link or button focused once it is drawn. */
const useMovingFocus = (
  count: number,
  rowHeight: number,
  frame: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
) => {
  const [here, setHere] = useState<number>();
  const asked = useRef<number>(undefined);
  useEffect(() => {
    if (asked.current === undefined) return;
    const row = frame.current?.querySelector(`[data-row="${asked.current}"]`);
    const target = row?.querySelector<HTMLElement>('a, button');
    if (!target) return;
    asked.current = undefined;
    target.focus({ preventScroll: true });
  });
  const move = (to: number) => {
    const row = Math.min(count - 1, Math.max(0, to));
    const [outer, inner] = [frame.current, body.current];
    if (row < 0 || !outer || !inner) return;
    const head = inner.offsetTop;
    const top = head + row * rowHeight;
    if (top - head < outer.scrollTop) outer.scrollTop = top - head;
    else if (top + rowHeight > outer.scrollTop + outer.clientHeight)
      outer.scrollTop = top + rowHeight - outer.clientHeight;
    asked.current = row;
    setHere(row);
  };
  return { here: here === undefined || here >= count ? undefined : here, move };
};
