import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type UserRow, userEndpoints } from '#contract/users.ts';
import { filled } from '#web/api/filled.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useCan, useManagesEveryProject } from '#web/api/session.ts';
import { BatchResult, type RowOutcome } from '#web/parts/BatchResult.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { PhoneConfirm } from './PhoneConfirm.tsx';
import { useUserActs } from './use-user-acts.tsx';
import { useUserColumns } from './use-user-columns.tsx';
import { userSearch } from './user-search.ts';
import './users.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';

const RegionField = lazy(async () => ({
  default: (await import('#web/parts/RegionField.tsx')).RegionField,
}));
const PasswordReset = lateDialog(
  async () => (await import('./PasswordReset.tsx')).PasswordReset,
  ({ user }) => user !== null,
);
const SmsDrawer = lateDialog(
  async () => (await import('./SmsDrawer.tsx')).SmsDrawer,
  ({ open }) => open,
);
const UserForm = lateDialog(
  async () => (await import('./UserForm.tsx')).UserForm,
  ({ row }) => row !== null,
);
const UserSessions = lateDialog(
  async () => (await import('./UserSessions.tsx')).UserSessions,
  ({ userId }) => userId !== undefined,
);

/** The accounts that the reader manages, and their own. */
export const UserListPage = () => {
  const { t } = useTranslation('users');
  const go = useGo();
  const mayWrite = useCan('user.write');
  const everyProject = useManagesEveryProject();
  useDialogsAhead(
    UserSessions,
    mayWrite && UserForm,
    mayWrite && PasswordReset,
    mayWrite && everyProject && SmsDrawer,
  );
  const [state, setState] = useUrlState(userSearch);
  const { page, limit, sort, search, role_id, status, project_id, region_id } = state;
  const filters = filled({ search, role_id, status, project_id, region_id });
  const query = useQuery(keptQuery(userEndpoints.list, { page, limit, ...filled({ sort }), ...filters }));
  const roles = useQuery(endpointQuery(userEndpoints.roles, {}));
  const [form, setForm] = useState<UserRow | 'new' | null>(null);
  const [reset, setReset] = useState<UserRow | null>(null);
  const [sms, setSms] = useState(false);
  const [phone, setPhone] = useState<UserRow | null>(null);
  const [outcomes, setOutcomes] = useState<readonly RowOutcome[] | null>(null);
  const acts = useUserActs(setOutcomes);
  const columns = useUserColumns(mayWrite ? setForm : null);
  const rows = query.data?.list ?? [];
  const nameOf = (id: number) => rows.find((row) => row.user_id === id)?.username ?? `#${id}`;

  const menuOf = (row: UserRow) => [
    {
      key: 'access',
      label: t(($) => $.actions.access),
      onClick: () => go(paths.access({ user_id: row.user_id })),
    },
    {
      key: 'sessions',
      label: t(($) => $.actions.sessions),
      onClick: () => setState({ sessions: row.user_id }, { push: true }),
    },
    ...(mayWrite && everyProject && row.mobile !== '' && !row.mobile_confirmed
      ? [{ key: 'confirm', label: t(($) => $.actions.confirm), onClick: () => setPhone(row) }]
      : []),
    ...(mayWrite && !row.own
      ? [
          { key: 'reset', label: t(($) => $.actions.reset), onClick: () => setReset(row) },
          ...(row.two_step
            ? [
                {
                  key: 'twoStep',
                  label: t(($) => $.actions.resetTwoStep),
                  onClick: () => void acts.resetTwoStep(row),
                },
              ]
            : []),
          {
            key: 'status',
            label: t(($) => (row.status === 'enabled' ? $.actions.disable : $.actions.enable)),
            onClick: () => void acts.setStatus(row, row.status !== 'enabled'),
          },
          removeAct(
            t(($) => $.actions.remove),
            () => void acts.remove([row]),
          ),
        ]
      : []),
  ];
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={userEndpoints.export} body={filters} fileName={t(($) => $.title)} />
        {mayWrite && everyProject && <Button onClick={() => setSms(true)}>{t(($) => $.sms.open)}</Button>}
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setForm('new')}>
            {t(($) => $.add)}
          </Button>
        )}
      </PageHeader>
      <div className="user-filters">
        <FilterBar
          fields={[
            { kind: 'text', name: 'search', label: t(($) => $.filter), primary: true },
            {
              kind: 'choice',
              name: 'role_id',
              label: t(($) => $.column.role),
              searchable: true,
              options: (roles.data ?? []).map((role) => ({ value: String(role.role_id), label: role.name })),
            },
            choiceOf(
              'status',
              t(($) => $.column.status),
              ['enabled', 'disabled'] as const,
              (value) => t(($) => $.status[value]),
            ),
            { kind: 'project', name: 'project_id', label: t(($) => $.column.project) },
          ]}
          values={{ search, role_id, status, project_id }}
          onChange={setState}
        />
        <Suspense fallback={<span className="filter-field filter-room" />}>
          <RegionField
            className="filter-field"
            aria-label={t(($) => $.column.area)}
            placeholder={t(($) => $.column.area)}
            anyLevel
            value={region_id}
            onChange={(id) => setState({ region_id: id, page: undefined })}
          />
        </Suspense>
      </div>
      <DataTable
        id="users"
        label={t(($) => $.title)}
        columns={columns}
        rowId={(row) => row.user_id}
        rowName={(row) => row.username}
        query={query}
        state={state}
        onState={setState}
        filtered={Object.keys(filters).length > 0}
        onResetFilters={() =>
          setState({
            search: undefined,
            role_id: undefined,
            status: undefined,
            project_id: undefined,
            region_id: undefined,
          })
        }
        empty={t(($) => $.empty)}
        actions={(row) => (
          <RowActs
            name={row.username}
            first={
              mayWrite ? { key: 'edit', label: t(($) => $.actions.edit), onClick: () => setForm(row) } : null
            }
            rest={menuOf(row)}
          />
        )}
        {...(mayWrite
          ? {
              bulk: (selection, clear) => (
                <RemoveSelected
                  selection={selection}
                  clear={clear}
                  label={t(($) => $.actions.remove)}
                  onRemove={(ids) => acts.remove(rows.filter((row) => ids.includes(row.user_id)))}
                />
              ),
            }
          : {})}
      />
      <UserForm row={form} onClose={() => setForm(null)} />
      <PasswordReset user={reset} onClose={() => setReset(null)} />
      <SmsDrawer open={sms} onClose={() => setSms(false)} />
      <PhoneConfirm user={phone} onConfirm={acts.confirmPhone} onClose={() => setPhone(null)} />
      <UserSessions
        userId={state.sessions}
        name={nameOf(state.sessions ?? 0)}
        onClose={() => setState({ sessions: undefined })}
      />
      <BatchResult
        outcomes={outcomes}
        nameOf={nameOf}
        reasonOf={(reason) => reason}
        isDelete
        onClose={() => setOutcomes(null)}
      />
    </>
  );
};
