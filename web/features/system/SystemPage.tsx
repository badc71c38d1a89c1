import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useCan } from '#web/api/session.ts';
import { Notice } from '#web/parts/Notice.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TabBar } from '#web/parts/TabBar.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import { HealthTab } from './HealthTab.tsx';
import { JobsTab } from './JobsTab.tsx';
import { SettingsTab } from './SettingsTab.tsx';
import './system.css';

const tabs = ['health', 'jobs', 'settings'] as const;
const search = z.object({ tab: z.enum(tabs).catch('health') });
const contents = { health: HealthTab, jobs: JobsTab, settings: SettingsTab };

/** Work of the installation's administrator: health, scheduled work and settings. */
export const SystemPage = () => {
  const { t } = useTranslation('system');
  const may = useCan('installation.manage');
  return may ? <System /> : <Notice title={t(($) => $.title)} text={t(($) => $.denied)} />;
};

const System = () => {
  const { t } = useTranslation('system');
  const [{ tab }, setSearch] = useUrlState(search);
  const Content = contents[tab];
  return (
    <>
      <PageHeader title={t(($) => $.title)} />
      <TabBar
        label={t(($) => $.title)}
        tabs={tabs.map((key) => ({ key, label: t(($) => $.tab[key]) }))}
        active={tab}
        onChange={(key) => setSearch({ tab: key })}
      >
        <Content />
      </TabBar>
    </>
  );
};
