import { useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { type FirmwareVersion, firmwareEndpoints } from '#contract/firmware.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { type RowAct, RowActs } from '#web/parts/table/RowActs.tsx';
import { removeAct } from '#web/parts/table/remove.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useBytes } from '#web/values/use-bytes.ts';
import type { FirmwareSearch } from './firmware-search.ts';

const useVersionColumns = (): DataColumn<FirmwareVersion>[] => {
  const { t } = useTranslation('firmware');
  const { number } = useFormats();
  const bytesOf = useBytes();
  return [
    {
      key: 'version',
      title: t(($) => $.version.name),
      required: true,
      wraps: true,
      width: 140,
      card: 'title',
      render: ({ appVersion, signed_by }) => (
        <span className="firmware-lines">
          <strong className="tabular">{appVersion}</strong>
          <span className="soft">{t(($) => $.version.signedBy, { name: signed_by })}</span>
        </span>
      ),
    },
    {
      key: 'type',
      title: t(($) => $.version.macName),
      wraps: true,
      width: 168,
      sort: 'mac_type',
      render: ({ mac_type, mac_name }) => (
        <span className="firmware-lines">
          {mac_name}
          <span className="soft">
            <DeviceTypeName type={mac_type} />
          </span>
        </span>
      ),
    },
    {
      key: 'platform',
      title: t(($) => $.version.platform),
      wraps: true,
      render: ({ platformVersion }) => platformVersion,
    },
    {
      key: 'url',
      title: t(($) => $.version.url),
      wraps: true,
      render: ({ appUrl, size, sha256 }) => (
        <span className="firmware-lines">
          <span className="firmware-url">{appUrl}</span>
          <span className="soft tabular" title={sha256}>
            {bytesOf(size)} · {sha256.slice(0, 12)}…
          </span>
        </span>
      ),
    },
    {
      key: 'devices',
      title: t(($) => $.version.devices),
      wraps: true,
      align: 'right',
      render: ({ devices, devices_of_type }) => (
        <span className="tabular nowrap">
          {t(($) => $.version.of, { on: number(devices), all: number(devices_of_type) })}
        </span>
      ),
    },
    {
      key: 'status',
      title: t(($) => $.version.status),
      card: 'state',
      render: ({ status }) => t(($) => $.version[status]),
    },
    {
      key: 'added',
      title: t(($) => $.version.added),
      sort: 'created_at',
      // Hidden by default: with this column the status would be below the actions at 1440 px.
      hidden: true,
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
  ];
};

/** The versions, with the acts to roll out, edit or delete. */
export const VersionsTab = ({
  search,
  setSearch,
  mayWrite,
  onEdit,
  onRollout,
}: {
  search: FirmwareSearch;
  setSearch: SetUrl;
  mayWrite: boolean;
  onEdit: (row: FirmwareVersion) => void;
  onRollout: (row: FirmwareVersion) => void;
}) => {
  const { t } = useTranslation('firmware');
  const { message } = App.useApp();
  const { t: tc } = useTranslation('common');
  const reload = useReload(firmwareEndpoints.list);
  const confirm = useConfirm();
  const columns = useVersionColumns();
  const { page, limit, sort, mac_type, status } = search;
  const query = useQuery(
    keptQuery(firmwareEndpoints.list, {
      page,
      limit,
      ...filled({ sort, mac_type, status }),
    }),
  );
  const remove = async ({ version_id, appVersion: version, mac_name: type }: FirmwareVersion) => {
    const sure = await confirm({
      title: t(($) => $.version.removeTitle, { version, type }),
      content: t(($) => $.version.removeText),
      okText: t(($) => $.version.remove),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      await call(firmwareEndpoints.remove, { ids: [version_id] });
      void message.success(t(($) => $.version.removed));
    });
    await reload();
  };
  const actsOf = (row: FirmwareVersion): RowAct[] => [
    ...(row.status === 'enabled'
      ? [{ key: 'rollout', label: t(($) => $.rollout.start), onClick: () => onRollout(row) }]
      : []),
    ...(mayWrite
      ? [
          { key: 'edit', label: t(($) => $.version.change), onClick: () => onEdit(row) },
          removeAct(
            t(($) => $.version.remove),
            () => void remove(row),
          ),
        ]
      : []),
  ];
  const types = ['1', '2', '3', '4', '5', '6', '7'] as const;
  return (
    <DataTable
      id="firmware-versions"
      label={t(($) => $.tabs.versions)}
      columns={columns}
      rowId={(row) => row.version_id}
      rowName={(row) => row.appVersion}
      query={query}
      state={search}
      onState={setSearch}
      filters={[
        choiceOf(
          'mac_type',
          t(($) => $.version.type),
          types,
          (value) => tc(($) => $.deviceTypes[value]),
        ),
        choiceOf(
          'status',
          t(($) => $.version.status),
          ['enabled', 'disabled'] as const,
          (value) => t(($) => $.version[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={firmwareEndpoints.export}
          body={filled({ mac_type, status })}
          fileName={t(($) => $.tabs.versions)}
        />
      }
      empty={t(($) => $.version.empty)}
      actions={(row) => {
        const [first = null, ...rest] = actsOf(row);
        return <RowActs name={row.appVersion} first={first} rest={rest} />;
      }}
    />
  );
};
