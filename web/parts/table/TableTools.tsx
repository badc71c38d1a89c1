import { ReloadOutlined, SettingOutlined } from '@ant-design/icons';
import { Button, Checkbox, Popover, Select, Tooltip } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SetUrl } from '../url-state.ts';
import { useClear } from '../use-clear.tsx';
import type { DataColumn, ListState } from './types.ts';

export const TableTools = <Row,>({
  columns,
  chosen,
  onChoose,
  onRefresh,
  state,
  onState,
  cards,
  children,
}: {
  columns: readonly DataColumn<Row>[];
  chosen: readonly string[];
  onChoose: (keys: string[]) => void;
  onRefresh: () => void;
  state: ListState;
  onState: SetUrl;
  cards: boolean;
  children: ReactNode;
}) => {
  const { t } = useTranslation('common');
  const clear = useClear();
  const sortable = columns.filter(({ sort }) => sort !== undefined);
  return (
    <div className="table-tools">
      {children}
      <div className="table-tools-end">
        {cards && sortable.length > 0 && (
          <Select
            className="table-sort"
            aria-label={t(($) => $.table.sortBy)}
            placeholder={t(($) => $.table.sortBy)}
            allowClear={clear}
            value={state.sort ?? null}
            onChange={(sort: string | null | undefined) => onState({ sort, page: 1 })}
            options={sortable.flatMap(({ sort, title }) => [
              { value: sort!, label: `${title} ↑` },
              { value: `-${sort}`, label: `${title} ↓` },
            ])}
          />
        )}
        <Tooltip title={t(($) => $.table.refresh)}>
          <Button
            icon={<ReloadOutlined aria-hidden />}
            aria-label={t(($) => $.table.refresh)}
            onClick={onRefresh}
          />
        </Tooltip>
        {!cards && (
          <Popover
            trigger="click"
            placement="bottomRight"
            content={
              <Checkbox.Group
                className="column-chooser"
                value={[...chosen]}
                onChange={onChoose}
                options={columns.map(({ key, title, required }) => ({
                  value: key,
                  label: title,
                  disabled: required ?? false,
                }))}
              />
            }
          >
            <Tooltip title={t(($) => $.table.columns)}>
              <Button icon={<SettingOutlined aria-hidden />} aria-label={t(($) => $.table.columns)} />
            </Tooltip>
          </Popover>
        )}
      </div>
    </div>
  );
};
