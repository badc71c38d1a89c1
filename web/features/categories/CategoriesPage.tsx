import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type CategoryRow, categoryEndpoints } from '#contract/categories.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { useManagesEveryProject } from '#web/api/session.ts';
import { imageAddress } from '#web/api/upload.ts';
import { EveryProjectNote } from '#web/parts/EveryProjectNote.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import './categories.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { removeAct } from '#web/parts/table/remove.tsx';

const CategoryForm = lateDialog(async () => (await import('./CategoryForm.tsx')).CategoryForm);

const search = z.object({
  ...listShape,
  sort: optionalOf(['name', '-name', 'created_at', '-created_at']),
  name: optionalText,
  status: optionalOf(['enabled', 'disabled']),
});

/** Groups of devices, defined by this installation. */
export const CategoriesPage = () => {
  const { t } = useTranslation('categories');
  const mayWrite = useManagesEveryProject();
  useDialogsAhead(mayWrite && CategoryForm);
  const { message } = App.useApp();
  const changed = useReload(categoryEndpoints.list, categoryEndpoints.options);
  const confirm = useConfirm();
  const [state, setState] = useUrlState(search);
  const [open, setOpen] = useState<CategoryRow | 'new' | null>(null);
  const { page, limit, sort, name, status } = state;
  const filter = filled({ name, status });
  const query = useQuery(keptQuery(categoryEndpoints.list, { page, limit, ...filled({ sort }), ...filter }));
  const remove = async (row: CategoryRow) => {
    const sure = await confirm({
      title: t(($) => $.remove.title, { name: row.name }),
      content: t(($) => $.remove.text),
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { results } = await call(categoryEndpoints.remove, { ids: [row.id] });
      const [outcome] = results;
      if (outcome?.result === 'done') void message.success(t(($) => $.remove.done));
      else void message.warning(outcome?.message);
      await changed();
    });
  };
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={categoryEndpoints.export} body={filter} fileName={t(($) => $.title)} />
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <EveryProjectNote />
      <DataTable
        id="categories"
        label={t(($) => $.title)}
        columns={useCategoryColumns(mayWrite ? setOpen : null)}
        rowId={({ id }) => id}
        rowName={(row) => row.name}
        query={query}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'name', label: t(($) => $.column.name), primary: true },
          choiceOf(
            'status',
            t(($) => $.column.status),
            ['enabled', 'disabled'] as const,
            (value) => t(($) => $.status[value]),
          ),
        ]}
        empty={t(($) => $.empty)}
        {...(mayWrite && {
          actions: (row: CategoryRow) => (
            <RowActs
              name={row.name}
              first={{ key: 'edit', label: t(($) => $.act), onClick: () => setOpen(row) }}
              rest={[
                removeAct(
                  t(($) => $.remove.act),
                  () => void remove(row),
                ),
              ]}
            />
          ),
        })}
      />
      {open && (
        <CategoryForm row={open === 'new' ? null : open} onClose={() => setOpen(null)} onSaved={changed} />
      )}
    </>
  );
};

/** `onOpen` null: the reader may not change categories. */
const useCategoryColumns = (
  onOpen: ((row: CategoryRow) => void) | null,
): readonly DataColumn<CategoryRow>[] => {
  const { t } = useTranslation('categories');
  return [
    {
      key: 'name',
      title: t(($) => $.column.name),
      wraps: 'name',
      sort: 'name',
      required: true,
      card: 'title',
      render: (row) => {
        const icon = <img src={imageAddress(row.icon_id)} alt="" className="category-icon" />;
        return onOpen ? (
          <button type="button" className="link-button" onClick={() => onOpen(row)}>
            {icon} {row.name}
          </button>
        ) : (
          <>
            {icon} {row.name}
          </>
        );
      },
    },
    {
      key: 'description',
      title: t(($) => $.column.description),
      wraps: 'text',
      render: ({ description }) => description || <span className="soft">—</span>,
    },
    {
      key: 'devices',
      title: t(($) => $.column.devices),
      align: 'right',
      render: ({ devices }) => <span className="tabular">{devices}</span>,
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      render: ({ status }) => (
        <span className={status === 'enabled' ? '' : 'soft'}>{t(($) => $.status[status])}</span>
      ),
    },
    {
      key: 'created_at',
      title: t(($) => $.column.created),
      sort: 'created_at',
      render: ({ created_at }) => <TimeText at={created_at} />,
    },
  ];
};
