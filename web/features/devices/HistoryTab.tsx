import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { deviceEndpoints } from '#contract/devices.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { DataTable } from '../../parts/table/DataTable.tsx';
import type { DataColumn } from '../../parts/table/types.ts';
import { listShape, useUrlState } from '../../parts/url-state.ts';
import { CommandState } from '../../values/CommandState.tsx';
import { TimeText } from '../../values/TimeText.tsx';
import { CommandSteps } from './CommandSteps.tsx';
import type { Command } from './devices.query.ts';

const historySearch = z.object(listShape);

/** Every command of a device with each step of its life. */
export const HistoryTab = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('devices');
  const [search, setSearch] = useUrlState(historySearch);
  const { page, limit, sort } = search;
  const query = useQuery({
    ...endpointQuery(deviceEndpoints.logs, {
      device_id: deviceId,
      page,
      limit,
      ...(sort === 'created_at' || sort === '-created_at' ? { sort } : {}),
    }),
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(
    ['command'],
    [deviceEndpoints.logs],
    300,
    (data) => 'command_id' in data && data.device_id === deviceId,
  );
  const columns: DataColumn<Command>[] = [
    {
      key: 'command',
      title: t(($) => $.history.command),
      required: true,
      render: (row) => <CommandState action={row.action} state={row.state} reason={row.reason} />,
    },
    {
      key: 'line',
      title: t(($) => $.history.line),
      render: (row) => row.line_name || (row.n === 0 ? '—' : row.n),
    },
    {
      key: 'time',
      title: t(($) => $.history.time),
      sort: 'created_at',
      render: (row) => <TimeText at={row.created_at} />,
    },
    { key: 'operator', title: t(($) => $.history.operator), render: (row) => row.operator },
    { key: 'steps', title: t(($) => $.history.steps), render: (row) => <CommandSteps command={row} /> },
    { key: 'address', title: t(($) => $.history.from), render: (row) => row.address || '—' },
    { key: 'cause', title: t(($) => $.history.cause), hidden: true, render: (row) => row.cause },
    { key: 'no', title: t(($) => $.history.no), hidden: true, align: 'right', render: (row) => row.number },
  ];
  return (
    <DataTable
      id="commands"
      label={t(($) => $.tab.history)}
      columns={columns}
      rowId={({ number }) => number}
      rowName={({ number }) => String(number)}
      query={query}
      state={search}
      onState={setSearch}
      empty={t(($) => $.history.empty)}
    />
  );
};
