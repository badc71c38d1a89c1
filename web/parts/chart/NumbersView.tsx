import { useFormats } from '../../i18n/format.ts';

export interface NumberTable {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

const cell = (value: string | number | null) => {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
/** CSV with a byte-order mark, so that spreadsheets read it as UTF-8; cells that look like formulas are text. */
export const toCsv = ({ columns, rows }: NumberTable): string =>
  `\uFEFF${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}`;

const longest = 1000;
export const NumbersView = ({
  numbers,
  height,
  title,
}: {
  numbers: NumberTable;
  height: number | string;
  title: string;
}) => {
  const formats = useFormats();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard
    <section className="numbers" style={{ height }} tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            {numbers.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {numbers.rows.slice(0, longest).map((row) => (
            <tr key={String(row[0])}>
              {row.map((value, index) => (
                <td key={numbers.columns[index]} className={typeof value === 'number' ? 'is-number' : ''}>
                  {typeof value === 'number'
                    ? formats.number(value, Number.isInteger(value) ? 0 : 2)
                    : (value ?? '—')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
