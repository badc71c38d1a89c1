import type { LineTableRow } from '#contract/line-table.ts';
import { textLines } from '#web/parts/table/text-lines.ts';

/** Widths in em: of the number before a line's name, and of the mark of an essential load. */
const [numberEm, criticalEm] = [2.4, 9];
/** Names beyond this width get a wider column. */
const usualEm = 20;
/** The height of a line of a name, px at normal text size. */
export const nameLinePx = 18;

type Named = Pick<LineTableRow, 'name' | 'alias' | 'device_name' | 'device_number' | 'critical'>;

const lineText = ({ name, alias }: Named) => `${name} ${alias}`.trimEnd();
const deviceText = ({ device_name, device_number }: Named) => device_name || device_number;

/** How many lines the names of a line and its device take at most, in a column of `room` em. */
export const mostNameLines = (rows: readonly Named[], room: number): number =>
  rows.reduce(
    (most, row) =>
      Math.max(
        most,
        textLines(lineText(row), room, numberEm) +
          textLines(deviceText(row), room - (row.critical ? criticalEm : 0)),
      ),
    2,
  );

export const hasLongNames = (rows: readonly Named[]): boolean =>
  rows.some((row) => textLines(lineText(row), usualEm) > 1 || textLines(deviceText(row), usualEm) > 1);
