import { useQuery } from '@tanstack/react-query';
import { Alert, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { firmwareEndpoints, type RolloutDevice, rolloutDeviceStates } from '#contract/firmware.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import type { FirmwareSearch } from './firmware-search.ts';
import { RolloutActs } from './RolloutActs.tsx';
import { RolloutProgress } from './RolloutProgress.tsx';

const useDeviceColumns = (): DataColumn<RolloutDevice>[] => {
  const { t } = useTranslation('firmware');
  return [
    {
      key: 'number',
      title: t(($) => $.rollout.devices.number),
      required: true,
      card: 'title',
      render: ({ number, project_name }) => (
        <span className="firmware-lines">
          <span className="tabular">{number}</span>
          <span className="soft">{project_name}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: t(($) => $.rollout.devices.state),
      card: 'state',
      render: ({ state, percent, message }) => (
        <span className="firmware-lines">
          <span>
            {t(($) => $.rollout.device[state])}
            {state === 'downloading' && percent !== null && <span className="tabular"> {percent} %</span>}
          </span>
          {message && <span className="soft">{message}</span>}
        </span>
      ),
    },
    {
      key: 'versions',
      title: t(($) => $.rollout.devices.versions),
      render: ({ version }) => t(($) => $.rollout.devices.reports, { version: version || '—' }),
    },
    {
      key: 'wave',
      title: t(($) => $.rollout.devices.wave),
      sort: 'wave',
      align: 'right',
      render: ({ wave }) => wave,
    },
    {
      key: 'at',
      title: t(($) => $.rollout.devices.at),
      sort: 'updated_at',
      render: ({ updated_at }) => <TimeText at={updated_at} kind="time" />,
    },
  ];
};

/** One rollout with each of its devices, updated live. */
export const RolloutDrawer = ({
  id,
  search,
  setSearch,
  onClose,
}: {
  id: number | undefined;
  search: FirmwareSearch;
  setSearch: SetUrl;
  onClose: () => void;
}) => {
  const { t } = useTranslation('firmware');
  const columns = useDeviceColumns();
  const open = id !== undefined;
  const rollout = useQuery({
    ...endpointQuery(firmwareEndpoints.rollout, { rollout_id: id ?? 1 }),
    enabled: open,
  });
  const deviceFilters = {
    rollout_id: id ?? 1,
    ...(search.device_state ? { state: search.device_state } : {}),
  };
  const devices = useQuery({
    ...keptQuery(firmwareEndpoints.devices, { ...deviceFilters, page: search.device_page, limit: 50 }),
    enabled: open,
  });
  useLiveRefresh(
    ['rollout'],
    [firmwareEndpoints.rollout, firmwareEndpoints.devices],
    500,
    (data) => 'rollout_id' in data && data.rollout_id === id,
  );
  return (
    <Drawer
      open={open}
      size={820}
      onClose={onClose}
      title={rollout.data ? `${rollout.data.mac_name} · ${rollout.data.appVersion}` : ''}
      extra={rollout.data && <RolloutActs rollout={rollout.data} />}
    >
      {open && (
        <DataState query={rollout} rows={3}>
          {(found) => (
            <>
              {found.message && (
                <Alert type="error" showIcon className="rollout-reach" title={found.message} />
              )}
              <p>
                {t(($) => $.rollout.states[found.state])} · {t(($) => $.rollout.waves)}{' '}
                {t(($) => $.rollout.waveOf, { wave: found.wave, waves: found.waves })} · {found.author} ·{' '}
                <TimeText at={found.created_at} />
              </p>
              <RolloutProgress rollout={found} detailed />
            </>
          )}
        </DataState>
      )}
      <FilterBar
        fields={[
          choiceOf(
            'device_state',
            t(($) => $.rollout.devices.state),
            rolloutDeviceStates,
            (value) => t(($) => $.rollout.device[value]),
          ),
        ]}
        values={{ device_state: search.device_state }}
        onChange={({ device_state }) => setSearch({ device_state, device_page: undefined })}
      />
      <DataTable
        id="rollout-devices"
        label={t(($) => $.rollout.devices.label)}
        columns={columns}
        rowId={(row) => row.device_id}
        rowName={(row) => row.number}
        query={devices}
        state={{ page: search.device_page, limit: 50 }}
        onState={({ page }) => setSearch({ device_page: page })}
        tools={
          <ExportButton
            endpoint={firmwareEndpoints.exportDevices}
            body={deviceFilters}
            fileName={t(($) => $.rollout.devices.label)}
          />
        }
        filtered={search.device_state !== undefined}
        onResetFilters={() => setSearch({ device_state: undefined })}
        empty={t(($) => $.rollout.devices.empty)}
      />
    </Drawer>
  );
};
