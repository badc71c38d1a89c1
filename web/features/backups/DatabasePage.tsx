import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { backupEndpoints } from '#contract/backups.ts';
import { mayMaintainDatabase } from '#contract/permissions.ts';
import { call } from '#web/api/call.ts';
import { useSignedIn } from '#web/api/session.ts';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TabBar } from '#web/parts/TabBar.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import type { Act } from './ActDialog.tsx';
import { BackupsTab } from './BackupsTab.tsx';
import { backupSearch } from './backup-search.ts';
import './backups.css';
import { useBegun } from './backups.query.ts';
import { JobsTab } from './JobsTab.tsx';
import { RunningJobs } from './RunningJobs.tsx';
import { SummaryPanel } from './SummaryPanel.tsx';
import { TablesTab } from './TablesTab.tsx';

const ActDialog = lateDialog(async () => (await import('./ActDialog.tsx')).ActDialog);
const RestoreDialog = lateDialog(async () => (await import('./RestoreDialog.tsx')).RestoreDialog);
const ScheduleDrawer = lateDialog(
  async () => (await import('./ScheduleDrawer.tsx')).ScheduleDrawer,
  ({ open }) => open,
);

/** Tables, backups and maintenance jobs; each act asks role 1 for its password. */
export const DatabasePage = () => {
  const { t } = useTranslation('backups');
  const [search, setSearch] = useUrlState(backupSearch);
  const [act, setAct] = useState<Act | null>(null);
  const [planning, setPlanning] = useState(false);
  const begun = useBegun();
  const mayAct = mayMaintainDatabase(useSignedIn().role);
  useDialogsAhead(mayAct && ActDialog, mayAct && RestoreDialog, mayAct && ScheduleDrawer);
  const onAct = mayAct ? setAct : null;
  const backUpAll = () =>
    setAct({
      title: t(($) => $.act.backupAll),
      okText: t(($) => $.act.backupAll),
      text: t(($) => $.act.backupText, { names: t(($) => $.act.everything) }),
      passphrase: 'new',
      run: async (values) => {
        await call(backupEndpoints.backup, values);
        await begun();
      },
    });
  const drill = () =>
    setAct({
      title: t(($) => $.act.drill),
      okText: t(($) => $.act.drill),
      text: t(($) => $.act.drillText, { name: t(($) => $.act.newest) }),
      run: async ({ password }) => {
        await call(backupEndpoints.drill, { password });
        await begun();
      },
    });
  const tab = { search, setSearch, onAct };
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        {mayAct && (
          <>
            <Button onClick={() => setPlanning(true)}>{t(($) => $.act.schedule)}</Button>
            <Button onClick={drill}>{t(($) => $.act.drill)}</Button>
            <Button type="primary" onClick={backUpAll}>
              {t(($) => $.act.backupAll)}
            </Button>
          </>
        )}
      </PageHeader>
      {!mayAct && (
        <Alert type="info" showIcon className="backup-notice" title={t(($) => $.summary.readOnly)} />
      )}
      <SummaryPanel />
      <RunningJobs mayAct={mayAct} />
      <TabBar
        label={t(($) => $.tabs.label)}
        active={search.tab}
        tabs={(['tables', 'backups', 'jobs'] as const).map((key) => ({ key, label: t(($) => $.tabs[key]) }))}
        onChange={(key) => setSearch({ tab: key, page: undefined, sort: undefined }, { push: true })}
      >
        {search.tab === 'tables' && <TablesTab {...tab} />}
        {search.tab === 'backups' && <BackupsTab {...tab} />}
        {search.tab === 'jobs' && <JobsTab search={search} setSearch={setSearch} />}
      </TabBar>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
      {mayAct && search.restore !== undefined && (
        <RestoreDialog name={search.restore} onClose={() => setSearch({ restore: undefined })} />
      )}
      {mayAct && <ScheduleDrawer open={planning} onClose={() => setPlanning(false)} />}
    </>
  );
};
