import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { deviceEndpoints } from '#contract/devices.ts';
import { commandVerbs } from '#contract/telemetry.ts';
import { keptQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalOf, useUrlState } from '#web/parts/url-state.ts';
import { CommandState, commandStates } from '#web/values/CommandState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { CommandProof } from './CommandProof.tsx';
import { CommandSteps } from './CommandSteps.tsx';
import type { Command } from './devices.query.ts';

const causes = ['button', 'api', 'timer', 'onekey'] as const;
const historySearch = z.object({
  ...listShape,
  state: optionalOf(commandStates),
  action: optionalOf(commandVerbs),
});

/** Every command of a device with each step of its life. */
export const HistoryTab = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('devices');
  const [search, setSearch] = useUrlState(historySearch);
  const { t: tc } = useTranslation('common');
  const { page, limit, sort, state, action } = search;
  const query = useQuery(
    keptQuery(deviceEndpoints.logs, {
      device_id: deviceId,
      page,
      limit,
      state,
      action,
      ...(sort === 'created_at' || sort === '-created_at' ? { sort } : {}),
    }),
  );
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
      wraps: true,
      required: true,
      render: (row) => <CommandState action={row.action} state={row.state} reason={row.reason} />,
    },
    {
      key: 'line',
      title: t(($) => $.history.line),
      wraps: 'name',
      render: (row) => row.line_name || (row.n === 0 ? '—' : row.n),
    },
    {
      key: 'time',
      title: t(($) => $.history.time),
      sort: 'created_at',
      render: (row) => <TimeText at={row.created_at} />,
    },
    {
      key: 'cause',
      title: t(($) => $.history.cause),
      wraps: true,
      render: (row) => {
        const known = causes.find((cause) => cause === row.cause);
        return known ? t(($) => $.history.causes[known]) : row.cause;
      },
    },
    { key: 'operator', title: t(($) => $.history.operator), wraps: 'name', render: (row) => row.operator },
    {
      key: 'steps',
      title: t(($) => $.history.steps),
      wraps: true,
      render: (row) => <CommandSteps command={row} />,
    },
    {
      key: 'proof',
      title: t(($) => $.history.proof),
      wraps: true,
      render: (row) => <CommandProof command={row} />,
    },
    { key: 'address', title: t(($) => $.history.from), render: (row) => row.address || '—' },
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
      filters={[
        choiceOf(
          'action',
          t(($) => $.history.command),
          commandVerbs,
          (value) => tc(($) => $.command.action[value]),
        ),
        choiceOf(
          'state',
          t(($) => $.column.status),
          commandStates,
          (value) => tc(($) => $.command.state[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={deviceEndpoints.exportLogs}
          body={{ device_id: deviceId, state, action }}
          fileName={t(($) => $.tab.history)}
        />
      }
      empty={t(($) => $.history.empty)}
    />
  );
};
