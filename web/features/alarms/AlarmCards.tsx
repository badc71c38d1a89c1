import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import type { QueryLike } from '#web/parts/DataState.tsx';
import { rowClassOf } from '#web/parts/table/cell-class.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { ListData, Selection } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { AlarmRowActions } from './AlarmRowActions.tsx';
import type { AlarmSearch } from './alarm-search.ts';
import { useAlarmColumns } from './use-alarm-columns.tsx';

/** The alarms as cards, if there is no room for the queue. */
export const AlarmCards = ({
  query,
  search,
  onChange,
  ofProject,
  filtered,
  onResetFilters,
  bulk,
  onHandle,
  onUrge,
  onShelve,
  onDelete,
}: {
  query: QueryLike<ListData<AlarmRow>>;
  search: AlarmSearch;
  onChange: SetUrl;
  ofProject: boolean;
  filtered: boolean;
  onResetFilters: () => void;
  bulk: ((selection: Selection, clear: () => void) => ReactNode) | undefined;
  onHandle: (id: number) => void;
  onUrge: (id: number) => void;
  onShelve: (row: AlarmRow) => void;
  onDelete: (id: number) => void;
}) => {
  const { t } = useTranslation('alarms');
  const columns = useAlarmColumns((id) => onChange({ alarm: id }, { push: true }), ofProject).filter(
    ({ key }) => !ofProject || key !== 'project',
  );
  return (
    <DataTable
      id="alarms"
      label={t(($) => $.title)}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ work_order }) => work_order}
      rowClass={({ level, status }) => rowClassOf(status === 'processed' ? 0 : level)}
      query={query}
      state={search}
      onState={onChange}
      bare
      filtered={filtered}
      onResetFilters={onResetFilters}
      empty={t(($) => $.empty)}
      selectAll
      actions={(row) => (
        <AlarmRowActions
          row={row}
          onHandle={() => onHandle(row.id)}
          onUrge={() => onUrge(row.id)}
          onShelve={() => onShelve(row)}
          onDelete={() => onDelete(row.id)}
        />
      )}
      {...(bulk ? { bulk } : {})}
    />
  );
};
