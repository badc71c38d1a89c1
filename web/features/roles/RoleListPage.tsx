import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type RoleRow, roleEndpoints } from '#contract/roles.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan, useManagesEveryProject } from '#web/api/session.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { pageOf } from '#web/parts/table/page-of.ts';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { EnabledState } from '#web/values/EnabledState.tsx';
import type { OpenRole } from './RoleForm.tsx';
import { RoleLetters } from './RoleLetters.tsx';
import './roles.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { removeAct } from '#web/parts/table/remove.tsx';

const RoleForm = lateDialog(
  async () => (await import('./RoleForm.tsx')).RoleForm,
  ({ open }) => open !== null,
);

const search = z.object({
  ...listShape,
  limit: z.coerce.number().int().min(1).max(200).catch(100),
  search: optionalText,
  status: optionalOf(['enabled', 'disabled']),
});

/** Depth of a role in the tree that the reader sees. */
const depthsOf = (rows: readonly RoleRow[]): ReadonlyMap<number, number> => {
  const depths = new Map<number, number>();
  for (const { role_id, parent_id } of rows)
    depths.set(role_id, parent_id === null ? 0 : (depths.get(parent_id) ?? -1) + 1);
  return depths;
};

/** The tree of roles: the reader's own and those below it. */
export const RoleListPage = () => {
  const { t } = useTranslation('roles');
  const { message } = App.useApp();
  const reload = useReload(roleEndpoints.list);
  const confirm = useConfirm();
  const [mayWrite, maySeeUsers] = [useCan('role.write'), useCan('user.read')];
  useDialogsAhead(mayWrite && RoleForm);
  const everyProject = useManagesEveryProject();
  const [state, setState] = useUrlState(search);
  const [form, setForm] = useState<OpenRole | null>(null);
  const query = useQuery(endpointQuery(roleEndpoints.list, {}));
  const all = query.data?.list ?? [];
  const depths = depthsOf(all);
  const wanted = state.search?.toLowerCase();
  const found = query.data?.list.filter(
    (row) =>
      (!state.status || row.status === state.status) &&
      (!wanted || `${row.name} ${row.description}`.toLowerCase().includes(wanted)),
  );
  const filtered = state.search !== undefined || state.status !== undefined;
  const top = all.find(({ own }) => own);

  const run = async (act: () => Promise<void>) => {
    await attempt(act);
    await reload();
  };
  const setStatus = (row: RoleRow, enabled: boolean) =>
    run(async () => {
      const sure =
        enabled ||
        (await confirm({
          title: t(($) => $.disable.title, { name: row.name }),
          content: t(($) => $.disable.text, { count: row.users }),
          okText: t(($) => $.disable.act),
          danger: true,
        }));
      if (!sure) return;
      await call(roleEndpoints.setStatus, { role_id: row.role_id, enabled });
      void message.success(t(($) => $.saved));
    });
  const setTwoStep = (row: RoleRow, required: boolean) =>
    run(async () => {
      await call(roleEndpoints.setTwoStep, { role_id: row.role_id, required });
      void message.success(t(($) => $.saved));
    });
  const remove = (row: RoleRow) =>
    run(async () => {
      const sure = await confirm({
        title: t(($) => $.remove.title, { name: row.name }),
        content: t(($) => $.remove.text),
        okText: t(($) => $.remove.act),
        danger: true,
      });
      if (!sure) return;
      await call(roleEndpoints.remove, { role_id: row.role_id });
      void message.success(t(($) => $.remove.done));
    });

  const menuOf = (row: RoleRow) => [
    ...(row.editable || row.own
      ? [
          {
            key: 'below',
            label: t(($) => $.addBelow),
            onClick: () => setForm({ kind: 'new', below: row.role_id }),
          },
        ]
      : []),
    ...(row.editable || everyProject
      ? [
          {
            key: 'twoStep',
            label: t(($) => (row.two_step ? $.twoStep.release : $.twoStep.require)),
            onClick: () => void setTwoStep(row, !row.two_step),
          },
        ]
      : []),
    ...(row.editable
      ? [
          {
            key: 'status',
            label: t(($) => (row.status === 'enabled' ? $.disable.act : $.enable)),
            onClick: () => void setStatus(row, row.status !== 'enabled'),
          },
        ]
      : []),
    ...(row.editable && !row.built_in
      ? [
          removeAct(
            t(($) => $.remove.act),
            () => void remove(row),
          ),
        ]
      : []),
  ];
  const columns: DataColumn<RoleRow>[] = [
    {
      key: 'name',
      title: t(($) => $.column.name),
      wraps: true,
      required: true,
      card: 'title',
      render: (row) => (
        <span
          className="role-name"
          style={filtered ? undefined : { paddingInlineStart: `${(depths.get(row.role_id) ?? 0) * 1.5}rem` }}
        >
          {row.editable && mayWrite ? (
            <button
              type="button"
              className="link-button short-text"
              onClick={() => setForm({ kind: 'edit', role: row })}
            >
              {row.name}
            </button>
          ) : (
            <span className="short-text">{row.name}</span>
          )}
          {row.built_in && <span className="label-tag">{t(($) => $.builtIn)}</span>}
          {row.own && <span className="soft">{t(($) => $.own)}</span>}
        </span>
      ),
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      render: ({ status }) => <EnabledState status={status} words={t(($) => $.status[status])} />,
    },
    {
      key: 'parent',
      // The tree of names shows it.
      hidden: true,
      title: t(($) => $.column.parent),
      wraps: 'name',
      render: (row) => row.parent_name || '—',
    },
    {
      key: 'letters',
      title: t(($) => $.column.letters),
      wraps: true,
      width: 270,
      render: (row) => <RoleLetters held={row.letters} />,
    },
    {
      key: 'users',
      title: t(($) => $.column.users),
      align: 'right',
      render: (row) =>
        maySeeUsers && row.users > 0 ? (
          <PathLink className="tabular" to={`/home/configinfos/USERManage?role_id=${row.role_id}`}>
            {row.users}
          </PathLink>
        ) : (
          <span className="tabular">{row.users}</span>
        ),
    },
    {
      key: 'twoStep',
      title: t(($) => $.twoStep.title),
      render: (row) => t(($) => (row.two_step ? $.twoStep.required : $.twoStep.optional)),
    },
    {
      key: 'description',
      title: t(($) => $.column.description),
      wraps: 'text',
      render: (row) => <span className="role-wide">{row.description}</span>,
    },
  ];
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={roleEndpoints.export} body={{}} fileName={t(($) => $.title)} />
        {mayWrite && top && (
          <Button
            type="primary"
            icon={<PlusOutlined />}
            onClick={() => setForm({ kind: 'new', below: top.role_id })}
          >
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <DataTable
        id="roles"
        label={t(($) => $.title)}
        columns={columns}
        rowId={(row) => row.role_id}
        rowName={(row) => row.name}
        query={pageOf(query, found, state)}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'search', label: t(($) => $.search), primary: true },
          choiceOf(
            'status',
            t(($) => $.column.status),
            ['enabled', 'disabled'] as const,
            (value) => t(($) => $.status[value]),
          ),
        ]}
        empty={t(($) => $.empty)}
        {...(mayWrite
          ? {
              actions: (row: RoleRow) => <RowActs name={row.name} rest={menuOf(row)} />,
            }
          : {})}
      />
      <RoleForm open={form} roles={all} onClose={() => setForm(null)} />
    </>
  );
};
