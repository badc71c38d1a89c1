import { CloseOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useRoom } from '#web/theme/use-room.ts';
import { countOf, type Selection } from './types.ts';

export const BulkBar = ({
  selection,
  total,
  canSelectAll,
  onSelectAll,
  onClear,
  children,
}: {
  selection: Selection;
  total: number;
  canSelectAll: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  children: ReactNode;
}) => {
  const { t } = useTranslation('common');
  const wide = useRoom('table');
  const count = countOf(selection);
  return (
    <div className={`bulk-bar${wide ? '' : ' is-low'}`} role="status">
      <strong>
        {selection.kind === 'filter'
          ? t(($) => $.table.allSelected, { count })
          : t(($) => $.table.selected, { count })}
      </strong>
      {canSelectAll && selection.kind === 'rows' && total > count && (
        <Button type="link" onClick={onSelectAll}>
          {t(($) => $.table.selectAll, { count: total })}
        </Button>
      )}
      <span className="page-header-gap" />
      <div className="bulk-acts">{children}</div>
      {wide ? (
        <Button type="text" onClick={onClear}>
          {t(($) => $.table.clear)}
        </Button>
      ) : (
        <Button
          type="text"
          className="bulk-clear"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t(($) => $.table.clear)}
          onClick={onClear}
        />
      )}
    </div>
  );
};
