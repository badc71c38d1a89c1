import { ImportOutlined, PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { FetchFirst } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { late, useOnceOpen } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { rowClassOf } from '#web/parts/table/cell-class.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { type RowAct, RowActs } from '#web/parts/table/RowActs.tsx';
import type { Selection } from '#web/parts/table/types.ts';
import { useUrlState } from '#web/parts/url-state.ts';
import { DeviceFilters } from './DeviceFilters.tsx';
import { deviceSearch, filterOf } from './device-search.ts';
import { type DeviceRow, devicesQuery, type Named, useLiveDevices } from './devices.query.ts';
import { useDeviceActs } from './use-device-acts.tsx';
import { useDeviceColumns } from './use-device-columns.tsx';

const BatchResult = late(async () => (await import('#web/parts/BatchResult.tsx')).BatchResult);
const AddDevice = late(async () => (await import('./AddDevice.tsx')).AddDevice);
const BindDialog = late(async () => (await import('./BindDialog.tsx')).BindDialog);
const DevicesMap = late(async () => (await import('./DevicesMap.tsx')).DevicesMap);
const ExpiryDialog = late(async () => (await import('./ExpiryDialog.tsx')).ExpiryDialog);
const ImportDevices = late(async () => (await import('./ImportDevices.tsx')).ImportDevices);

const only = ({ device_id }: DeviceRow): Named => ({ kind: 'rows', ids: [device_id] });

export const fetchFirst: FetchFirst = (client, search) =>
  client.prefetchQuery(devicesQuery(deviceSearch.parse(search)));

export const DeviceListPage = () => {
  const { t } = useTranslation('devices');
  const [search, setSearch] = useUrlState(deviceSearch);
  const query = useQuery(devicesQuery(search));
  useLiveDevices(search);
  const go = useGo();
  const columns = useDeviceColumns();
  const [canAdd, canBind] = [useCan('device.create'), useCan('device.bind')];
  const [canDelete, canWrite] = [useCan('device.delete'), useCan('device.write')];
  const rows = query.data?.list ?? [];
  const filters = filterOf(search);
  const acts = useDeviceActs(rows, filters, (job) => setSearch({ job }, { push: true }));
  const [asking, setAsking] = useState<{ kind: 'bind' | 'expiry'; named: Named } | null>(null);
  const isAdding = search.add === '1' && canAdd;
  const addOpened = useOnceOpen(isAdding);

  const bulk = (selection: Selection, clear: () => void) => {
    if (selection.kind === 'none') return null;
    const named = selection;
    return (
      <>
        {canBind && (
          <Button onClick={() => setAsking({ kind: 'bind', named })}>{t(($) => $.bind.act)}</Button>
        )}
        {canBind && (
          <Button onClick={() => void acts.unbind(named).then(clear)}>{t(($) => $.unbind.act)}</Button>
        )}
        {canWrite && (
          <Button onClick={() => setAsking({ kind: 'expiry', named })}>{t(($) => $.expiry.act)}</Button>
        )}
        {canDelete && (
          <Button danger onClick={() => void acts.remove(named).then(clear)}>
            {t(($) => $.delete.act)}
          </Button>
        )}
      </>
    );
  };
  const menuOf = (row: DeviceRow): RowAct[] => [
    ...(canBind && !row.bound
      ? [
          {
            key: 'bind',
            label: t(($) => $.bind.act),
            onClick: () => setAsking({ kind: 'bind', named: only(row) }),
          },
        ]
      : []),
    ...(canBind && row.bound
      ? [{ key: 'unbind', label: t(($) => $.unbind.act), onClick: () => void acts.unbind(only(row)) }]
      : []),
    ...(canDelete
      ? [
          {
            key: 'delete',
            label: t(($) => $.delete.act),
            onClick: () => void acts.remove(only(row)),
            danger: true,
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <Segmented<'list' | 'map'>
          aria-label={t(($) => $.view.label)}
          value={search.view ?? 'list'}
          onChange={(view) => setSearch({ view: view === 'map' ? view : undefined }, { push: true })}
          options={(['list', 'map'] as const).map((value) => ({ value, label: t(($) => $.view[value]) }))}
        />
        <ExportButton endpoint={deviceEndpoints.export} body={filters} fileName={t(($) => $.title)} />
        {canAdd && (
          <>
            <Button
              icon={<ImportOutlined aria-hidden />}
              onClick={() => setSearch({ add: 'many' }, { push: true })}
            >
              {t(($) => $.import.act)}
            </Button>
            <Button
              type="primary"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => setSearch({ add: '1' }, { push: true })}
            >
              {t(($) => $.add.act)}
            </Button>
          </>
        )}
      </PageHeader>
      <DeviceFilters search={search} onChange={setSearch} />
      {search.view === 'map' ? (
        <DevicesMap filters={filters} />
      ) : (
        <DataTable<DeviceRow>
          id="devices"
          label={t(($) => $.title)}
          columns={columns}
          rowId={({ device_id }) => device_id}
          rowName={({ number }) => number}
          rowClass={({ worst }) => rowClassOf(worst)}
          query={query}
          state={search}
          onState={setSearch}
          filtered={Object.keys(filters).length > 0}
          onResetFilters={() =>
            setSearch(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
          }
          empty={t(($) => (canAdd ? $.emptyFirst : $.empty))}
          selectAll
          actions={(row) => (
            <RowActs
              name={row.number}
              first={{
                key: 'lines',
                label: t(($) => $.lines),
                onClick: () => go(paths.lineList(row.device_id)),
              }}
              rest={menuOf(row)}
            />
          )}
          {...(canBind || canDelete || canWrite ? { bulk } : {})}
        />
      )}
      {addOpened && (
        <AddDevice
          open={isAdding}
          // From a project's own screen: the searched device number, and the project.
          given={{ number: search.number, project_id: search.project_id }}
          onClose={() => setSearch({ add: undefined })}
        />
      )}
      {search.add === 'many' && canAdd && <ImportDevices onClose={() => setSearch({ add: undefined })} />}
      {asking?.kind === 'bind' && (
        <BindDialog
          named={asking.named}
          names={acts.namesOf(asking.named)}
          filter={filters}
          onDone={(acted) =>
            acts.showResult(
              acted,
              t(($) => $.bind.done),
            )
          }
          onClose={() => setAsking(null)}
        />
      )}
      {asking?.kind === 'expiry' && (
        <ExpiryDialog
          named={asking.named}
          names={acts.namesOf(asking.named)}
          filter={filters}
          onDone={(acted) =>
            acts.showResult(
              acted,
              t(($) => $.expiry.done),
            )
          }
          onClose={() => setAsking(null)}
        />
      )}
      {acts.outcomes && (
        <BatchResult
          outcomes={acts.outcomes.map(({ message, reason, ...row }) => ({
            ...row,
            reason: message ?? reason,
          }))}
          nameOf={(id) => rows.find(({ device_id }) => device_id === id)?.number ?? `#${id}`}
          reasonOf={(reason) => reason}
          isDelete={acts.isDelete}
          onClose={acts.close}
        />
      )}
    </>
  );
};
