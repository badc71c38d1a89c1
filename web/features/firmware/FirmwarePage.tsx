import { PlusOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FirmwareVersion } from '#contract/firmware.ts';
import { useManagesEveryProject } from '#web/api/session.ts';
import { EveryProjectNote } from '#web/parts/EveryProjectNote.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TabBar } from '#web/parts/TabBar.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import './firmware.css';
import { firmwareSearch } from './firmware-search.ts';
import { KeysTab } from './KeysTab.tsx';
import { RolloutsTab } from './RolloutsTab.tsx';
import { VersionsTab } from './VersionsTab.tsx';

const RolloutForm = lateDialog(
  async () => (await import('./RolloutForm.tsx')).RolloutForm,
  ({ version }) => version !== null,
);
const VersionForm = lateDialog(
  async () => (await import('./VersionForm.tsx')).VersionForm,
  ({ row }) => row !== null,
);
const RolloutDrawer = lateDialog(
  async () => (await import('./RolloutDrawer.tsx')).RolloutDrawer,
  ({ id }) => id !== undefined,
);

/** Firmware versions, their rollouts, and the accepted signing keys. */
export const FirmwarePage = () => {
  const { t } = useTranslation('firmware');
  const [search, setSearch] = useUrlState(firmwareSearch);
  const mayWrite = useManagesEveryProject();
  useDialogsAhead(RolloutDrawer, RolloutForm, mayWrite && VersionForm);
  const [edited, setEdited] = useState<FirmwareVersion | 'new' | null>(null);
  const [rolled, setRolled] = useState<FirmwareVersion | null>(null);
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        {mayWrite && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
            {t(($) => $.version.add)}
          </Button>
        )}
      </PageHeader>
      <EveryProjectNote />
      <TabBar
        label={t(($) => $.tabs.label)}
        active={search.tab}
        tabs={(['versions', 'rollouts', 'keys'] as const).map((key) => ({
          key,
          label: t(($) => $.tabs[key]),
        }))}
        onChange={(key) => setSearch({ tab: key, page: undefined, sort: undefined }, { push: true })}
      >
        {search.tab === 'versions' && (
          <VersionsTab
            search={search}
            setSearch={setSearch}
            mayWrite={mayWrite}
            onEdit={setEdited}
            onRollout={setRolled}
          />
        )}
        {search.tab === 'rollouts' && <RolloutsTab search={search} setSearch={setSearch} />}
        {search.tab === 'keys' && <KeysTab mayWrite={mayWrite} />}
      </TabBar>
      <VersionForm row={edited} onClose={() => setEdited(null)} />
      <RolloutForm
        version={rolled}
        onClose={() => setRolled(null)}
        onBegun={(rollout) => setSearch({ tab: 'rollouts', rollout }, { push: true })}
      />
      <RolloutDrawer
        id={search.rollout}
        search={search}
        setSearch={setSearch}
        onClose={() => setSearch({ rollout: undefined, device_state: undefined, device_page: undefined })}
      />
    </>
  );
};
