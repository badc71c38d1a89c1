import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import type { InputOf } from '#contract/endpoint.ts';
import { mostCountedOperations, type OperationRow, operationLogEndpoints } from '#contract/operation-log.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalNumber, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { Channel } from './Channel.tsx';
import { VerifyLog } from './VerifyLog.tsx';
import './operation-log.css';
import { choiceOf } from '#web/parts/filter-types.ts';

const OperationDrawer = lateDialog(
  async () => (await import('./OperationDrawer.tsx')).OperationDrawer,
  ({ row }) => row !== null,
);
const FailedSignIns = lateDialog(
  async () => (await import('./FailedSignIns.tsx')).FailedSignIns,
  ({ open }) => open,
);

const search = z.object({
  ...listShape,
  sort: optionalOf(['time', '-time']),
  from: optionalText,
  to: optionalText,
  operator: optionalText,
  key: optionalText,
  outcome: optionalOf(['done', 'refused']),
  /** The entry whose drawer is open. */
  entry: optionalNumber,
});
type Body = InputOf<typeof operationLogEndpoints.export>;

/** Acts of users and timers: everywhere, or in one project. */
export const OperationLogPage = ({ project }: { project?: { id: number; name: string } }) => {
  const { t } = useTranslation('operationLog');
  const formats = useFormats();
  const mayVerify = useCan('operationLog.verify');
  useDialogsAhead(OperationDrawer, mayVerify && !project && FailedSignIns);
  const [failed, setFailed] = useState(false);
  const [state, setState] = useUrlState(search);
  const { page, limit, sort, from, to, operator, key, outcome, entry } = state;
  const filter: Body = {
    ...filled({ from, to, operator, key, outcome }),
    ...(project ? { project_id: project.id } : {}),
  };
  const query = useQuery(
    keptQuery(operationLogEndpoints.list, { page, limit, ...filled({ sort }), ...filter }),
  );
  const title = project ? `${project.name} · ${t(($) => $.title)}` : t(($) => $.title);
  const shown = query.data?.list.find(({ id }) => id === entry);
  return (
    <>
      <PageHeader title={title}>
        {mayVerify && !project && <VerifyLog />}
        {mayVerify && !project && <Button onClick={() => setFailed(true)}>{t(($) => $.failed.title)}</Button>}
        <ExportButton endpoint={operationLogEndpoints.export} body={filter} fileName={t(($) => $.title)} />
      </PageHeader>
      <FilterBar
        fields={[
          {
            kind: 'range',
            from: 'from',
            to: 'to',
            label: [t(($) => $.from), t(($) => $.to)],
            presets: [
              { label: t(($) => $.preset.week), days: 7 },
              { label: t(($) => $.preset.month), days: 30 },
              { label: t(($) => $.preset.quarter), days: 90 },
            ],
          },
          { kind: 'text', name: 'operator', label: t(($) => $.column.operator), primary: true },
          { kind: 'text', name: 'key', label: t(($) => $.column.key) },
          choiceOf(
            'outcome',
            t(($) => $.column.outcome),
            ['done', 'refused'] as const,
            (value) => t(($) => $.outcome[value]),
          ),
        ]}
        values={{ from, to, operator, key, outcome }}
        onChange={setState}
      />
      {query.data?.more && (
        <p className="soft">{t(($) => $.more, { most: formats.number(mostCountedOperations) })}</p>
      )}
      <DataTable
        id="operation-log"
        label={title}
        columns={useOperationColumns((id) => setState({ entry: id }, { push: true }), project !== undefined)}
        rowId={({ id }) => id}
        rowName={({ id, description }) => `${id} ${description}`}
        query={query}
        state={state}
        onState={setState}
        filtered={[from, to, operator, key, outcome].some((value) => value !== undefined)}
        onResetFilters={() =>
          setState({
            from: undefined,
            to: undefined,
            operator: undefined,
            key: undefined,
            outcome: undefined,
          })
        }
        empty={t(($) => $.empty)}
      />
      <FailedSignIns open={failed} onClose={() => setFailed(false)} />
      <OperationDrawer row={shown ?? null} onClose={() => setState({ entry: undefined })} />
    </>
  );
};

const useOperationColumns = (
  onOpen: (id: number) => void,
  ofProject: boolean,
): readonly DataColumn<OperationRow>[] => {
  const { t } = useTranslation('operationLog');
  return [
    {
      key: 'time',
      title: t(($) => $.column.time),
      sort: 'time',
      required: true,
      card: 'line',
      render: ({ time }) => <TimeText at={time} />,
    },
    {
      key: 'description',
      title: t(($) => $.column.description),
      wraps: 'text',
      required: true,
      card: 'title',
      render: ({ id, description }) => (
        <button type="button" className="link-button" onClick={() => onOpen(id)}>
          {description}
        </button>
      ),
    },
    {
      key: 'operator',
      title: t(($) => $.column.operator),
      wraps: 'name',
      render: ({ operator }) => operator,
    },
    {
      key: 'outcome',
      title: t(($) => $.column.outcome),
      card: 'state',
      render: ({ outcome }) => (
        <span className={outcome === 'refused' ? 'operation-refused' : 'soft'}>
          {t(($) => $.outcome[outcome])}
        </span>
      ),
    },
    {
      key: 'place',
      title: t(($) => $.column.place),
      wraps: 'name',
      render: ({ project_id, project_name, device_id, device_number }) => {
        const project = !ofProject && project_id !== null && project_name !== null && (
          <PathLink to={paths.project('earlywarning', project_id)}>{project_name}</PathLink>
        );
        const device = device_id !== null && device_number !== null && (
          <PathLink to={paths.device(device_id)} className="tabular">
            {device_number}
          </PathLink>
        );
        return project || device ? (
          <span className="operation-place">
            {project} {device}
          </span>
        ) : (
          '—'
        );
      },
    },
    {
      key: 'key',
      title: t(($) => $.column.key),
      render: ({ key }) => <code className="soft">{key}</code>,
    },
    {
      key: 'channel',
      title: t(($) => $.column.channel),
      render: ({ channel }) => <Channel of={channel} />,
    },
    {
      key: 'client_ip',
      title: t(($) => $.column.client_ip),
      render: ({ client_ip }) => <span className="tabular">{client_ip}</span>,
    },
  ];
};
