import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type ContentRow, contentEndpoints } from '#contract/content.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useManagesEveryProject } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { EveryProjectNote } from '#web/parts/EveryProjectNote.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { choiceOf } from '#web/parts/filter-types.ts';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';
import type { DataColumn, Selection } from '#web/parts/table/types.ts';
import { listShape, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { TimeText } from '#web/values/TimeText.tsx';

const ContentForm = lateDialog(async () => (await import('./ContentForm.tsx')).ContentForm);

const search = z.object({
  ...listShape,
  sort: optionalOf(['title', '-title', 'updated_at', '-updated_at', 'created_at', '-created_at']),
  title: optionalText,
  status: optionalOf(['enabled', 'disabled']),
});

/** Texts for every signed-in user: guides, rules, news of the site. */
export const ContentPage = () => {
  const { t } = useTranslation('content');
  const mayWrite = useManagesEveryProject();
  useDialogsAhead(mayWrite && ContentForm);
  const { list: listOf } = useFormats();
  const { message } = App.useApp();
  const changed = useReload(contentEndpoints.list, contentEndpoints.published);
  const confirm = useConfirm();
  const [state, setState] = useUrlState(search);
  const [open, setOpen] = useState<ContentRow | 'new' | null>(null);
  const { page, limit, sort, title, status } = state;
  const filter = filled({ title, status });
  const query = useQuery(keptQuery(contentEndpoints.list, { page, limit, ...filled({ sort }), ...filter }));
  const remove = async (rows: readonly Pick<ContentRow, 'id' | 'title'>[]) => {
    const sure = await confirm({
      title: t(($) => $.remove.title, { count: rows.length }),
      content: listOf(rows.map((row) => row.title)),
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { done } = await call(contentEndpoints.remove, { ids: rows.map(({ id }) => id) });
      void message.success(t(($) => $.remove.done, { count: done }));
      await changed();
    });
  };
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={contentEndpoints.export} body={filter} fileName={t(($) => $.title)} />
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <EveryProjectNote />
      <DataTable
        id="content"
        label={t(($) => $.title)}
        columns={useContentColumns(mayWrite ? setOpen : null)}
        rowId={({ id }) => id}
        rowName={(row) => row.title}
        query={query}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'title', label: t(($) => $.column.title), primary: true },
          choiceOf(
            'status',
            t(($) => $.column.status),
            ['enabled', 'disabled'] as const,
            (value) => t(($) => $.status[value]),
          ),
        ]}
        empty={t(($) => $.empty)}
        {...(mayWrite && {
          actions: (row: ContentRow) => (
            <RowActs
              name={row.title}
              first={{ key: 'edit', label: t(($) => $.act), onClick: () => setOpen(row) }}
              rest={[
                removeAct(
                  t(($) => $.remove.act),
                  () => void remove([row]),
                ),
              ]}
            />
          ),
          bulk: (selection: Selection, clear: () => void) => (
            <RemoveSelected
              selection={selection}
              clear={clear}
              label={t(($) => $.remove.act)}
              onRemove={(ids) => remove((query.data?.list ?? []).filter(({ id }) => ids.includes(id)))}
            />
          ),
        })}
      />
      {open && (
        <ContentForm row={open === 'new' ? null : open} onClose={() => setOpen(null)} onSaved={changed} />
      )}
    </>
  );
};

/** `onOpen` null: the reader may not change texts. */
const useContentColumns = (onOpen: ((row: ContentRow) => void) | null): readonly DataColumn<ContentRow>[] => {
  const { t } = useTranslation('content');
  return [
    {
      key: 'title',
      title: t(($) => $.column.title),
      wraps: 'text',
      sort: 'title',
      required: true,
      card: 'title',
      render: (row) =>
        onOpen ? (
          <button type="button" className="link-button" onClick={() => onOpen(row)}>
            {row.title}
          </button>
        ) : (
          row.title
        ),
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      render: ({ status }) => (
        <span className={status === 'enabled' ? '' : 'soft'}>{t(($) => $.status[status])}</span>
      ),
    },
    { key: 'author', title: t(($) => $.column.author), render: ({ author }) => author },
    {
      key: 'updated_at',
      title: t(($) => $.column.updated),
      sort: 'updated_at',
      render: ({ updated_at }) => <TimeText at={updated_at} />,
    },
    {
      key: 'created_at',
      title: t(($) => $.column.created),
      sort: 'created_at',
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
  ];
};
