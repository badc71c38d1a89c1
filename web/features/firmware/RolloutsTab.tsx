import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { firmwareEndpoints, type Rollout, rolloutStates } from '#contract/firmware.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import type { FirmwareSearch } from './firmware-search.ts';
import { RolloutProgress } from './RolloutProgress.tsx';

/** All rollouts, newest first, with their progress. */
export const RolloutsTab = ({ search, setSearch }: { search: FirmwareSearch; setSearch: SetUrl }) => {
  const { t } = useTranslation('firmware');
  const { page, limit, sort, state } = search;
  const query = useQuery(
    keptQuery(firmwareEndpoints.rollouts, {
      page,
      limit,
      ...filled({ sort, state }),
    }),
  );
  useLiveRefresh(['rollout'], [firmwareEndpoints.rollouts], 1000);
  const columns: DataColumn<Rollout>[] = [
    {
      key: 'version',
      title: t(($) => $.rollout.version),
      required: true,
      card: 'title',
      render: ({ mac_name, appVersion }) => `${mac_name} · ${appVersion}`,
    },
    {
      key: 'state',
      title: t(($) => $.rollout.stateTitle),
      card: 'state',
      render: (row) => (
        <span className="firmware-lines">
          {t(($) => $.rollout.states[row.state])}
          {row.message && <span className="soft">{row.message}</span>}
        </span>
      ),
    },
    {
      key: 'progress',
      title: t(($) => $.rollout.progress),
      render: (row) => <RolloutProgress rollout={row} />,
    },
    {
      key: 'waves',
      title: t(($) => $.rollout.waves),
      align: 'right',
      render: ({ wave, waves }) => (
        <span className="tabular">{t(($) => $.rollout.waveOf, { wave, waves })}</span>
      ),
    },
    { key: 'author', title: t(($) => $.rollout.author), render: ({ author }) => author },
    {
      key: 'at',
      title: t(($) => $.rollout.at),
      sort: 'created_at',
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
  ];
  return (
    <DataTable
      id="rollouts"
      label={t(($) => $.tabs.rollouts)}
      columns={columns}
      rowId={(row) => row.rollout_id}
      rowName={(row) => row.appVersion}
      query={query}
      state={search}
      onState={setSearch}
      filters={[
        choiceOf(
          'state',
          t(($) => $.rollout.stateTitle),
          rolloutStates,
          (value) => t(($) => $.rollout.states[value]),
        ),
      ]}
      tools={
        <ExportButton
          endpoint={firmwareEndpoints.exportRollouts}
          body={filled({ state })}
          fileName={t(($) => $.tabs.rollouts)}
        />
      }
      empty={t(($) => $.rollout.empty)}
      actions={(row) => (
        <Button size="small" onClick={() => setSearch({ rollout: row.rollout_id }, { push: true })}>
          {t(($) => $.rollout.show)}
        </Button>
      )}
    />
  );
};
