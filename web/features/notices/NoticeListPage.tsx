import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticeChannels } from '#contract/deliveries.ts';
import { type NoticeRow, noticeEndpoints } from '#contract/notices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useCan, useManagesEveryProject } from '#web/api/session.ts';
import { BatchResult, type RowOutcome } from '#web/parts/BatchResult.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { noticeSearch } from './notice-search.ts';
import './notices.css';
import { useFormats } from '#web/i18n/format.ts';
import { choiceOf } from '#web/parts/filter-types.ts';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';
import { useNoticeColumns } from './use-notice-columns.tsx';

const NoticeForm = lateDialog(
  async () => (await import('./NoticeForm.tsx')).NoticeForm,
  ({ row }) => row !== null,
);
const WaysDialog = lateDialog(async () => (await import('./WaysDialog.tsx')).WaysDialog);
const NoticeTrial = lateDialog(
  async () => (await import('./NoticeTrial.tsx')).NoticeTrial,
  ({ id }) => id !== null,
);

/**
 * Notification rules: who is notified of which alarms, through which channel and when; everywhere, or for one
 * project.
 */
export const NoticeListPage = ({ project }: { project?: { id: number; name: string } }) => {
  const { t } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(noticeEndpoints.list);
  const confirm = useConfirm();
  const [mayWrite, mayInstall] = [useCan('notice.write'), useCan('alarmType.write')];
  const everyProject = useManagesEveryProject();
  useDialogsAhead(
    mayWrite && NoticeForm,
    mayWrite && NoticeTrial,
    mayInstall && everyProject && !project && WaysDialog,
  );
  const [search, setSearch] = useUrlState(noticeSearch);
  const { page, limit, sort, channel, status } = search;
  const project_id = project?.id ?? search.project_id;
  const title = project ? `${project.name} · ${t(($) => $.title)}` : t(($) => $.title);
  const filters = {
    ...filled({ channel, status }),
    ...(project_id === undefined ? {} : { project_id }),
  };
  const query = useQuery(keptQuery(noticeEndpoints.list, { page, limit, ...filled({ sort }), ...filters }));
  const [open, setOpen] = useState<NoticeRow | null>(null);
  const [ways, setWays] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly RowOutcome[] | null>(null);
  const columns = useNoticeColumns(mayWrite ? setOpen : null);
  const rows = query.data?.list ?? [];
  const nameOf = (row: NoticeRow) => row.name || tc(($) => $.delivery.channel[row.channel]);
  const { list: listOf } = useFormats();

  const remove = async (ids: readonly number[]) => {
    const named = rows.filter(({ id }) => ids.includes(id)).map(nameOf);
    const sure = await confirm({
      title: t(($) => $.remove.title, { count: ids.length }),
      content: `${listOf(named)}. ${t(($) => $.remove.text)}`,
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { results, denied, done } = await call(noticeEndpoints.remove, { ids: [...ids] });
      if (denied > 0) setOutcomes(results);
      else void message.success(t(($) => $.remove.done, { count: done }));
      await reload();
    });
  };
  return (
    <>
      <PageHeader title={title}>
        {mayInstall && everyProject && !project && (
          <Button onClick={() => setWays(true)}>{t(($) => $.ways.open)}</Button>
        )}
        {mayWrite && (
          <Button
            type="primary"
            icon={<PlusOutlined />}
            onClick={() => setSearch({ add: '1' }, { push: true })}
          >
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <DataTable
        id="notices"
        label={t(($) => $.title)}
        columns={columns}
        rowId={({ id }) => id}
        rowName={nameOf}
        query={query}
        state={search}
        onState={setSearch}
        filters={[
          choiceOf(
            'channel',
            t(($) => $.column.channel),
            noticeChannels,
            (value) => tc(($) => $.delivery.channel[value]),
          ),
          choiceOf(
            'status',
            t(($) => $.column.status),
            ['enabled', 'disabled'] as const,
            (value) => t(($) => $.status[value]),
          ),
          ...(project ? [] : [{ kind: 'project' as const, name: 'project_id', label: t(($) => $.project) }]),
        ]}
        tools={<ExportButton endpoint={noticeEndpoints.export} body={filters} fileName={title} />}
        empty={t(($) => $.empty)}
        {...(mayWrite
          ? {
              actions: (row: NoticeRow) => (
                <RowActs
                  name={nameOf(row)}
                  first={{ key: 'edit', label: t(($) => $.act), onClick: () => setOpen(row) }}
                  rest={[
                    {
                      key: 'trial',
                      label: t(($) => $.trial.open),
                      onClick: () => setSearch({ trial: row.id }, { push: true }),
                    },
                    removeAct(
                      t(($) => $.remove.act),
                      () => void remove([row.id]),
                    ),
                  ]}
                />
              ),
              bulk: (selection, clear) => (
                <RemoveSelected
                  selection={selection}
                  clear={clear}
                  label={t(($) => $.remove.act)}
                  onRemove={remove}
                />
              ),
            }
          : {})}
      />
      <NoticeForm
        row={open ?? (search.add === '1' && mayWrite ? 'new' : null)}
        projectId={project_id}
        onClose={() => (open ? setOpen(null) : setSearch({ add: undefined }))}
      />
      <NoticeTrial id={search.trial ?? null} onClose={() => setSearch({ trial: undefined })} />
      {ways && <WaysDialog onClose={() => setWays(false)} />}
      <BatchResult
        outcomes={outcomes}
        nameOf={(id) => {
          const row = rows.find((each) => each.id === id);
          return row ? nameOf(row) : `#${id}`;
        }}
        reasonOf={(reason) => reason}
        isDelete
        onClose={() => setOutcomes(null)}
      />
    </>
  );
};
