import { cellRole } from '#web/parts/table/cell-class.ts';
import { usePrinting } from '#web/theme/printing.ts';
import type { NumberTable } from './NumbersView.tsx';
import { useNumberText } from './use-number-text.ts';

/** Room for each day of a year; longer tables are not printed. */
const mostRows = 400;

/** A printed drawing cannot show its numbers on request, so all of them are printed below it. */
export const PrintedNumbers = ({
  title,
  numbers: { columns, rows },
}: {
  title: string;
  numbers: NumberTable;
}) => {
  const textOf = useNumberText();
  if (!usePrinting() || rows.length > mostRows) return null;
  return (
    <table className="printed-numbers" aria-label={title}>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={column} scope="col" className={index > 0 ? 'is-number' : ''}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={String(row[0])}>
            {row.map((value, index) => (
              <td key={columns[index]} role={cellRole(index)} className={index > 0 ? 'is-number' : ''}>
                {textOf(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
