import { Modal, Tabs } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AppearanceTab } from './AppearanceTab.tsx';
import { InfoTab } from './InfoTab.tsx';
import { PasswordTab } from './PasswordTab.tsx';
import { SessionsTab } from './SessionsTab.tsx';

export type ProfileTab = 'info' | 'password' | 'sessions' | 'notices' | 'appearance';

export const ProfileDialog = ({
  tab,
  onTab,
  onClose,
  notices,
}: {
  tab: ProfileTab;
  onTab: (tab: ProfileTab) => void;
  onClose: () => void;
  /** One's own notices: they belong to another part of the console. */
  notices: ReactNode;
}) => {
  const { t } = useTranslation('profile');
  return (
    <Modal open onCancel={onClose} footer={null} title={t(($) => $.title)} width={640}>
      <Tabs
        activeKey={tab}
        onChange={(key) => onTab(key as ProfileTab)}
        destroyOnHidden
        items={[
          { key: 'info', label: t(($) => $.info.tab), children: <InfoTab /> },
          { key: 'password', label: t(($) => $.password.tab), children: <PasswordTab /> },
          { key: 'sessions', label: t(($) => $.sessions.tab), children: <SessionsTab /> },
          { key: 'notices', label: t(($) => $.notices), children: notices },
          { key: 'appearance', label: t(($) => $.appearance.tab), children: <AppearanceTab /> },
        ]}
      />
    </Modal>
  );
};
