import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import type { DataViewProps } from './DataGrid.tsx';

/** The rows of a table as cards, at phone width. */
export const DataCards = <Row,>(props: DataViewProps<Row>) => {
  const { rows, shown, rowId, rowName, actions, selection, onSelection, rowClass } = props;
  const { t } = useTranslation('common');
  if (!rows)
    return (
      <ul className="data-cards">
        {Array.from({ length: 4 }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          <li key={`place ${index}`} className="data-card">
            <span className="cell-skeleton" />
            <span className="cell-skeleton" />
            <span className="cell-skeleton" />
          </li>
        ))}
      </ul>
    );
  const picked = selection.kind === 'rows' ? selection.ids : [];
  const toggle = (id: number, on: boolean) => {
    const ids = on ? [...picked, id] : picked.filter((each) => each !== id);
    onSelection?.(ids.length === 0 ? { kind: 'none' } : { kind: 'rows', ids });
  };
  const of = (place: 'title' | 'state' | 'line') =>
    shown.filter((column, index) => (column.card ?? (index === 0 ? 'title' : 'line')) === place);
  return (
    <ul className="data-cards">
      {rows.map((row) => {
        const id = rowId(row);
        return (
          <li key={id} className={`data-card ${rowClass?.(row) ?? ''}`}>
            <div className="data-card-head">
              {onSelection && (
                <Checkbox
                  checked={selection.kind === 'filter' || picked.includes(id)}
                  onChange={(event) => toggle(id, event.target.checked)}
                  aria-label={t(($) => $.table.select, { name: rowName(row) })}
                />
              )}
              <strong className="data-card-title">
                {of('title').map((column) => (
                  <span key={column.key}>{column.render(row)}</span>
                ))}
              </strong>
              {of('state').map((column) => (
                <span key={column.key}>{column.render(row)}</span>
              ))}
            </div>
            <dl>
              {of('line').map((column) => (
                <div key={column.key}>
                  <dt>{column.title}</dt>
                  <dd>{column.render(row)}</dd>
                </div>
              ))}
            </dl>
            {actions && <div className="row-actions">{actions(row)}</div>}
          </li>
        );
      })}
    </ul>
  );
};
