import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { rowClassOf } from '#web/parts/table/cell-class.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { alarmSearch, filterOf } from './alarm-search.ts';
import { alarmsQuery } from './alarms.query.ts';
import './alarms.css';
import { useClear } from '#web/parts/use-clear.tsx';
import { useAlarmColumns } from './use-alarm-columns.tsx';
import { useFresh, useLiveAlarms } from './use-live-alarms.ts';

const elsewhere: readonly string[] = ['device', 'project', 'address'];

/** The alarm log of one device. */
export const DeviceAlarms = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('alarms');
  const clear = useClear();
  const { colon } = useFormats();
  const { t: tc } = useTranslation('common');
  const go = useGo();
  const [given, setSearch] = useUrlState(alarmSearch);
  const search = { ...given, device_id: deviceId };
  const query = useQuery(alarmsQuery(search));
  const { fresh, showFresh } = useLiveAlarms(search, (alarm) => alarm.device_id === deviceId);
  const columns = useAlarmColumns((id) => go(paths.alarm(id))).filter(({ key }) => !elsewhere.includes(key));
  return (
    <DataTable
      id="deviceAlarms"
      label={t(($) => $.title)}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ work_order }) => work_order}
      rowClass={({ level, status }) => rowClassOf(status === 'processed' ? 0 : level)}
      query={query}
      state={search}
      onState={setSearch}
      fresh={{ count: useFresh(fresh), onShow: showFresh }}
      filtered={search.status !== undefined}
      onResetFilters={() => setSearch({ status: undefined })}
      empty={t(($) => $.emptyDevice)}
      tools={
        <>
          <Select
            className="filter-field"
            aria-label={t(($) => $.column.status)}
            placeholder={`${t(($) => $.column.status)}${colon}${tc(($) => $.filter.all)}`}
            allowClear={clear}
            value={search.status ?? null}
            onChange={(status: string | null | undefined) => setSearch({ status, page: undefined })}
            options={(['unprocessed', 'processed'] as const).map((value) => ({
              value,
              label: t(($) => $.status[value]),
            }))}
          />
          <ExportButton
            endpoint={alarmEndpoints.export}
            body={filterOf(search)}
            fileName={t(($) => $.title)}
          />
        </>
      }
    />
  );
};
