import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePrefs } from '#web/theme/prefs.ts';
import { cellClass, cellRole } from './cell-class.ts';
import { SortHead } from './SortHead.tsx';
import { titleShortened } from './shortened.ts';
import type { DataColumn, DataTableProps, Selection } from './types.ts';

export interface DataViewProps<Row> extends DataTableProps<Row> {
  rows: Row[] | undefined;
  shown: readonly DataColumn<Row>[];
  selection: Selection;
  onSelection: ((selection: Selection) => void) | null;
}
const placeholders = Array.from({ length: 12 }, (_, index) => index);

/** Rows under a header that stays visible, with the first column and the actions fixed at the sides. */
export const DataGrid = <Row,>(props: DataViewProps<Row>) => {
  const { rows, shown, state, onState, rowId, rowName, actions, selection, onSelection, rowClass, label } =
    props;
  const { t } = useTranslation('common');
  const density = usePrefs((prefs) => prefs.density);
  const ids = rows?.map(rowId) ?? [];
  const picked =
    selection.kind === 'filter' ? ids : selection.kind === 'rows' ? selection.ids : ([] as readonly number[]);
  const pick = (next: readonly number[]) =>
    onSelection?.(next.length === 0 ? { kind: 'none' } : { kind: 'rows', ids: next });

  return (
    <section
      className={`data-grid is-${density}${onSelection ? ' has-picks' : ''}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onMouseOver={titleShortened}
      onFocus={titleShortened}
    >
      <table aria-label={label}>
        <thead>
          <tr>
            {onSelection && (
              <th className="is-pick">
                <Checkbox
                  aria-label={t(($) => $.table.selectPage)}
                  disabled={ids.length === 0}
                  checked={ids.length > 0 && picked.length === ids.length}
                  indeterminate={picked.length > 0 && picked.length < ids.length}
                  onChange={(event) => pick(event.target.checked ? ids : [])}
                />
              </th>
            )}
            {shown.map((column, index) => (
              <SortHead
                key={column.key}
                column={column}
                className={cellClass(column, index)}
                state={state}
                onState={onState}
              />
            ))}
            {actions && (
              <th scope="col" className="is-actions">
                {t(($) => $.table.actions)}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => {
                const id = rowId(row);
                return (
                  <tr key={id} className={rowClass?.(row) ?? ''}>
                    {onSelection && (
                      <td className="is-pick">
                        <Checkbox
                          aria-label={t(($) => $.table.select, { name: rowName(row) })}
                          checked={picked.includes(id)}
                          onChange={(event) =>
                            pick(
                              event.target.checked ? [...picked, id] : picked.filter((each) => each !== id),
                            )
                          }
                        />
                      </td>
                    )}
                    {shown.map((column, index) => (
                      <td key={column.key} role={cellRole(index)} className={cellClass(column, index)}>
                        <div className="grid-cell">{column.render(row)}</div>
                      </td>
                    ))}
                    {actions && (
                      <td className="is-actions">
                        <span className="row-actions">{actions(row)}</span>
                      </td>
                    )}
                  </tr>
                );
              })
            : placeholders.slice(0, state.limit).map((place) => (
                // The key is never that of a row; otherwise the row would reuse this element and move it.
                <tr key={`place ${place}`}>
                  {onSelection && <td className="is-pick" />}
                  {shown.map((column, index) => (
                    <td key={column.key} className={cellClass(column, index)}>
                      <span className="cell-skeleton" />
                    </td>
                  ))}
                  {actions && <td className="is-actions" />}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  );
};
