import { PlusOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { keyOf } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { RowOutcome } from '../../parts/BatchResult.tsx';
import { ExportButton } from '../../parts/ExportButton.tsx';
import { late, useOnceOpen } from '../../parts/late.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useGo } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { DataTable } from '../../parts/table/DataTable.tsx';
import type { Selection } from '../../parts/table/types.ts';
import { useUrlState } from '../../parts/url-state.ts';
import { useConfirm } from '../../parts/use-confirm.ts';
import { DeviceFilters } from './DeviceFilters.tsx';
import { deviceSearch, filterOf } from './device-search.ts';
import { type DeviceRow, devicesQuery, useLiveDevices } from './devices.query.ts';
import { useDeviceColumns } from './use-device-columns.tsx';

const AddDevice = late(async () => (await import('./AddDevice.tsx')).AddDevice);
const BatchResult = late(async () => (await import('../../parts/BatchResult.tsx')).BatchResult);

export const DeviceListPage = () => {
  const { t } = useTranslation('devices');
  const { message } = App.useApp();
  const [search, setSearch] = useUrlState(deviceSearch);
  const query = useQuery(devicesQuery(search));
  useLiveDevices(search);
  const client = useQueryClient();
  const confirm = useConfirm();
  const go = useGo();
  const columns = useDeviceColumns();
  const [canAdd, canBind] = [useCan('device.create'), useCan('device.bind')];
  const isAdding = search.add === '1' && canAdd;
  const addOpened = useOnceOpen(isAdding);
  const [outcomes, setOutcomes] = useState<readonly RowOutcome[] | null>(null);
  const rows = query.data?.list ?? [];

  const unbind = async (ids: readonly number[]) => {
    const named = rows.filter(({ device_id }) => ids.includes(device_id)).map(({ number }) => number);
    const sure = await confirm({
      title: t(($) => $.unbind.title, { count: ids.length }),
      content: (
        <>
          <p className="tabular">{named.slice(0, 10).join(', ')}</p>
          <p>{t(($) => $.unbind.text)}</p>
        </>
      ),
      okText: t(($) => $.unbind.act),
      danger: true,
    });
    if (!sure) return;
    try {
      const { results } = await call(deviceEndpoints.remove, { device_ids: [...ids] });
      if (results.some(({ result }) => result !== 'done')) setOutcomes(results);
      else void message.success(t(($) => $.unbind.done));
      await client.invalidateQueries({ queryKey: keyOf(deviceEndpoints.list) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  };
  const filters = filterOf(search);
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton
          endpoint={deviceEndpoints.export}
          body={filters}
          fileName={`${t(($) => $.title)}.xlsx`}
        />
        {canAdd && (
          <Button
            type="primary"
            icon={<PlusOutlined />}
            onClick={() => setSearch({ add: '1' }, { push: true })}
          >
            {t(($) => $.add.act)}
          </Button>
        )}
      </PageHeader>
      <DeviceFilters search={search} onChange={setSearch} />
      <DataTable
        id="devices"
        label={t(($) => $.title)}
        columns={columns}
        rowId={({ device_id }) => device_id}
        rowName={({ number }) => number}
        rowClass={({ worst }) => (worst >= 2 ? 'row-alarm' : worst === 1 ? 'row-early' : '')}
        query={query}
        state={search}
        onState={setSearch}
        filtered={Object.keys(filters).length > 0}
        onResetFilters={() =>
          setSearch(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
        }
        empty={t(($) => $.empty)}
        actions={(row: DeviceRow) => (
          <>
            <Button size="small" onClick={() => go(paths.device(row.device_id, { tab: 'lines' }))}>
              {t(($) => $.lines)}
            </Button>
            {canBind && row.bound && (
              <Button size="small" onClick={() => void unbind([row.device_id])}>
                {t(($) => $.unbind.act)}
              </Button>
            )}
          </>
        )}
        {...(canBind
          ? {
              bulk: (selection: Selection, clear: () => void) =>
                selection.kind === 'rows' && (
                  <Button onClick={() => void unbind(selection.ids).then(clear)}>
                    {t(($) => $.unbind.act)}
                  </Button>
                ),
            }
          : {})}
      />
      {addOpened && <AddDevice open={isAdding} onClose={() => setSearch({ add: undefined })} />}
      {outcomes && (
        <BatchResult
          outcomes={outcomes}
          nameOf={(id) => rows.find(({ device_id }) => device_id === id)?.number ?? `#${id}`}
          reasonOf={(reason) => reason}
          onClose={() => setOutcomes(null)}
        />
      )}
    </>
  );
};
