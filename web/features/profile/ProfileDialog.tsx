import { Modal } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { TabBar } from '#web/parts/TabBar.tsx';
import { AppearanceTab } from './AppearanceTab.tsx';
import { InfoTab } from './InfoTab.tsx';
import { PasswordTab } from './PasswordTab.tsx';
import { SessionsTab } from './SessionsTab.tsx';
import { TwoStepTab } from './TwoStepTab.tsx';
import './profile.css';

export type ProfileTab = 'info' | 'password' | 'twoStep' | 'sessions' | 'notices' | 'appearance';

export const ProfileDialog = ({
  tab,
  onTab,
  onClose,
  notices,
}: {
  tab: ProfileTab;
  onTab: (tab: ProfileTab) => void;
  onClose: () => void;
  /** The user's own notifications: another feature provides them. */
  notices: ReactNode;
}) => {
  const { t } = useTranslation('profile');
  const shown: Record<ProfileTab, ReactNode> = {
    info: <InfoTab />,
    password: <PasswordTab />,
    twoStep: <TwoStepTab />,
    sessions: <SessionsTab />,
    notices,
    appearance: <AppearanceTab />,
  };
  return (
    <Modal open onCancel={onClose} footer={null} title={t(($) => $.title)} width={640}>
      <TabBar
        label={t(($) => $.title)}
        active={tab}
        onChange={onTab}
        tabs={[
          { key: 'info', label: t(($) => $.info.tab) },
          { key: 'password', label: t(($) => $.password.tab) },
          { key: 'twoStep', label: t(($) => $.twoStep.tab) },
          { key: 'sessions', label: t(($) => $.sessions.tab) },
          { key: 'notices', label: t(($) => $.notices) },
          { key: 'appearance', label: t(($) => $.appearance.tab) },
        ]}
      >
        {shown[tab]}
      </TabBar>
    </Modal>
  );
};
