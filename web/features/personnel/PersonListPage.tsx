import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type PersonRow, personnelEndpoints } from '#contract/personnel.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { BatchResult, type RowOutcome } from '#web/parts/BatchResult.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalNumber, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { TimeText } from '#web/values/TimeText.tsx';

const PersonForm = lateDialog(
  async () => (await import('./PersonForm.tsx')).PersonForm,
  ({ row }) => row !== null,
);

const search = z.object({
  ...listShape,
  sort: optionalOf(['name', '-name', 'created_at', '-created_at']),
  search: optionalText,
  project_id: optionalNumber,
});

/** Contact persons of projects, with or without an account. */
export const PersonListPage = () => {
  const { t } = useTranslation('personnel');
  const { list: listOf } = useFormats();
  const { message } = App.useApp();
  const reload = useReload(personnelEndpoints.list);
  const confirm = useConfirm();
  const mayWrite = useCan('person.write');
  useDialogsAhead(mayWrite && PersonForm);
  const [state, setState] = useUrlState(search);
  const [form, setForm] = useState<PersonRow | 'new' | null>(null);
  const [outcomes, setOutcomes] = useState<readonly RowOutcome[] | null>(null);
  const { page, limit, sort, project_id } = state;
  const filters = {
    ...(state.search ? { search: state.search } : {}),
    ...filled({ project_id }),
  };
  const query = useQuery(
    keptQuery(personnelEndpoints.list, { page, limit, ...filled({ sort }), ...filters }),
  );
  const rows = query.data?.list ?? [];

  const remove = async (chosen: readonly PersonRow[]) => {
    const names = listOf(chosen.map(({ name }) => name));
    const sure = await confirm({
      title:
        chosen.length === 1
          ? t(($) => $.remove.title, { name: names })
          : t(($) => $.remove.several, { count: chosen.length }),
      content: chosen.length === 1 ? t(($) => $.remove.text) : `${names}. ${t(($) => $.remove.text)}`,
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { results, denied, done } = await call(personnelEndpoints.remove, {
        ids: chosen.map(({ person_id }) => person_id),
      });
      if (denied > 0) setOutcomes(results);
      else void message.success(t(($) => $.remove.done, { count: done }));
    });
    await reload();
  };
  const columns: DataColumn<PersonRow>[] = [
    {
      key: 'name',
      title: t(($) => $.column.name),
      wraps: 'name',
      required: true,
      card: 'title',
      sort: 'name',
      render: (row) =>
        mayWrite ? (
          <button type="button" className="link-button" onClick={() => setForm(row)}>
            {row.name}
          </button>
        ) : (
          row.name
        ),
    },
    {
      key: 'mobile',
      title: t(($) => $.column.mobile),
      render: (row) => (
        <a className="tabular nowrap" href={`tel:${row.mobile}`}>
          {row.mobile}
        </a>
      ),
    },
    {
      key: 'position',
      title: t(($) => $.column.position),
      wraps: 'name',
      render: (row) => row.position || '—',
    },
    {
      key: 'projects',
      title: t(($) => $.column.projects),
      wraps: 'name',
      render: (row) => (
        <span title={row.shared ? t(($) => $.shared) : undefined}>
          {listOf(row.projects.map(({ name }) => name))}
          {row.shared && ' +'}
        </span>
      ),
    },
    { key: 'note', title: t(($) => $.column.note), wraps: 'text', render: (row) => row.note || '—' },
    {
      key: 'created',
      title: t(($) => $.column.created),
      sort: 'created_at',
      render: (row) => <TimeText at={row.created_at} />,
    },
  ];
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={personnelEndpoints.export} body={filters} fileName={t(($) => $.title)} />
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setForm('new')}>
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <DataTable
        id="personnel"
        label={t(($) => $.title)}
        columns={columns}
        rowId={(row) => row.person_id}
        rowName={(row) => row.name}
        query={query}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'search', label: t(($) => $.search), primary: true },
          { kind: 'project', name: 'project_id', label: t(($) => $.column.projects) },
        ]}
        empty={t(($) => $.empty)}
        {...(mayWrite
          ? {
              actions: (row: PersonRow) => (
                <RowActs
                  name={row.name}
                  first={{ key: 'edit', label: t(($) => $.act), onClick: () => setForm(row) }}
                  rest={[
                    removeAct(
                      t(($) => $.remove.act),
                      () => void remove([row]),
                    ),
                  ]}
                />
              ),
              bulk: (selection, clear) => (
                <RemoveSelected
                  selection={selection}
                  clear={clear}
                  label={t(($) => $.remove.act)}
                  onRemove={(ids) => remove(rows.filter((row) => ids.includes(row.person_id)))}
                />
              ),
            }
          : {})}
      />
      <PersonForm row={form} onClose={() => setForm(null)} />
      <BatchResult
        outcomes={outcomes}
        nameOf={(id) => rows.find((row) => row.person_id === id)?.name ?? `#${id}`}
        reasonOf={(reason) => reason}
        isDelete
        onClose={() => setOutcomes(null)}
      />
    </>
  );
};
