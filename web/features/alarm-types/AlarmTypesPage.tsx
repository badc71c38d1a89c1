import { useQuery } from '@tanstack/react-query';
import { App, Button, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type AlarmTypeRow, alarmTypeEndpoints } from '#contract/alarm-types.ts';
import { attempt } from '#web/api/attempt.ts';
import { filled } from '#web/api/filled.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan, useManagesEveryProject } from '#web/api/session.ts';
import { EveryProjectNote } from '#web/parts/EveryProjectNote.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { pageOf } from '#web/parts/table/page-of.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { WhatIfLink } from '#web/parts/WhatIfLink.tsx';
import { AlarmTypeIcon } from '#web/values/AlarmTypeIcon.tsx';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { TypeLimits } from './TypeLimits.tsx';
import './alarm-types.css';
import { choiceOf } from '#web/parts/filter-types.ts';

const DefaultThresholds = lateDialog(
  async () => (await import('./DefaultThresholds.tsx')).DefaultThresholds,
  ({ open }) => open,
);

const deviceTypes = ['1', '2', '3', '4', '5', '6', '7'] as const;
const search = z.object({
  ...listShape,
  limit: z.coerce.number().int().min(1).max(200).catch(50),
  name: optionalText,
  status: optionalOf(['enabled', 'disabled']),
  device_type: optionalOf(deviceTypes),
});

/** The alarm types: severity, limits, and whether this installation uses them. */
export const AlarmTypesPage = () => {
  const { t } = useTranslation('alarmTypes');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(alarmTypeEndpoints.list);
  const confirm = useConfirm();
  const prove = useProvenCall();
  const mayChange = useCan('alarmType.write');
  useDialogsAhead(mayChange && DefaultThresholds);
  const maySwitch = useManagesEveryProject() && mayChange;
  const [state, setState] = useUrlState(search);
  const [setting, setSetting] = useState(false);
  const { name, status, device_type } = state;
  const query = useQuery(endpointQuery(alarmTypeEndpoints.list, filled({ status, device_type })));
  const wanted = name?.toLowerCase();
  const found = query.data?.list.filter(
    (row) => !wanted || row.name.toLowerCase().includes(wanted) || String(row.typeNumber).startsWith(wanted),
  );

  const set = async (row: AlarmTypeRow, enabled: boolean) => {
    const sure =
      enabled ||
      (await confirm({
        title: t(($) => $.disable.title, { name: row.name }),
        content: t(($) => $.disable.text),
        okText: t(($) => $.disable.act),
        danger: true,
      }));
    if (!sure) return;
    await attempt(async () => {
      const done = await prove(alarmTypeEndpoints.setStatus, { typeNumber: row.typeNumber, enabled });
      if (!done) return;
      void message.success(t(($) => (enabled ? $.enabled : $.disabled), { name: row.name }));
    });
    await reload();
  };
  const columns: DataColumn<AlarmTypeRow>[] = [
    {
      key: 'name',
      title: t(($) => $.column.name),
      required: true,
      wraps: true,
      card: 'title',
      render: (row) => (
        <span className={`alarm-type-name${row.status === 'disabled' ? ' soft' : ''}`}>
          <AlarmTypeIcon code={row.typeNumber} /> {row.name}
        </span>
      ),
    },
    {
      key: 'number',
      title: t(($) => $.column.number),
      render: (row) => <span className="tabular">{row.typeNumber}</span>,
    },
    {
      key: 'severity',
      title: t(($) => $.column.severity),
      render: (row) => <Severity severity={row.severity} />,
    },
    {
      key: 'limits',
      title: t(($) => $.column.limits),
      render: (row) => (
        <>
          <TypeLimits typeNumber={row.typeNumber} unit={row.unit} />{' '}
          <WhatIfLink place={{}} typeNumber={row.typeNumber} />
        </>
      ),
    },
    {
      key: 'delay',
      title: t(($) => $.column.delay),
      align: 'right',
      render: (row) => (
        <span className="tabular nowrap">
          {t(($) => $.delay, { on: row.on_delay_s, off: row.off_delay_s ?? '—' })}
        </span>
      ),
    },
    {
      key: 'latched',
      title: t(($) => $.column.latched),
      render: (row) => t(($) => (row.latched ? $.latched : $.byItself)),
    },
    {
      key: 'judge',
      title: t(($) => $.column.judge),
      hidden: true,
      render: (row) => t(($) => (row.core ? $.byServer : $.byDevice)),
    },
    {
      key: 'devices',
      title: t(($) => $.column.devices),
      hidden: true,
      render: (row) =>
        row.device_types.length === deviceTypes.length ? (
          tc(($) => $.filter.all)
        ) : (
          <span>
            {row.device_types.map((type, index) => (
              <span key={type}>
                {index > 0 && ', '}
                <DeviceTypeName type={type} />
              </span>
            ))}
          </span>
        ),
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      required: true,
      render: (row) =>
        maySwitch ? (
          <Switch
            checked={row.status === 'enabled'}
            aria-label={t(($) => $.switch, { name: row.name })}
            checkedChildren={t(($) => $.on)}
            unCheckedChildren={t(($) => $.off)}
            onChange={(enabled) => void set(row, enabled)}
          />
        ) : (
          t(($) => (row.status === 'enabled' ? $.on : $.off))
        ),
    },
  ];
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        {mayChange && <Button onClick={() => setSetting(true)}>{t(($) => $.thresholds.title)}</Button>}
      </PageHeader>
      {mayChange && <EveryProjectNote />}
      {mayChange && <DefaultThresholds open={setting} onClose={() => setSetting(false)} />}
      <DataTable
        id="alarmTypes"
        label={t(($) => $.title)}
        columns={columns}
        rowId={(row) => row.typeNumber}
        rowName={(row) => row.name}
        query={pageOf(query, found, state)}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'name', label: t(($) => $.filter.name), primary: true },
          {
            kind: 'choice',
            name: 'status',
            label: t(($) => $.column.status),
            options: [
              { value: 'enabled', label: t(($) => $.on) },
              { value: 'disabled', label: t(($) => $.off) },
            ],
          },
          choiceOf(
            'device_type',
            t(($) => $.column.devices),
            deviceTypes,
            (value) => tc(($) => $.deviceTypes[value]),
          ),
        ]}
        tools={
          <ExportButton
            endpoint={alarmTypeEndpoints.export}
            body={filled({ status, device_type, name })}
            fileName={t(($) => $.title)}
          />
        }
        empty={t(($) => $.empty)}
      />
    </>
  );
};
