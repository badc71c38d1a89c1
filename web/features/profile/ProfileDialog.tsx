import { Modal, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { AppearanceTab } from './AppearanceTab.tsx';
import { InfoTab } from './InfoTab.tsx';
import { PasswordTab } from './PasswordTab.tsx';
import { SessionsTab } from './SessionsTab.tsx';

export type ProfileTab = 'info' | 'password' | 'sessions' | 'appearance';

export const ProfileDialog = ({
  tab,
  onTab,
  onClose,
}: {
  tab: ProfileTab;
  onTab: (tab: ProfileTab) => void;
  onClose: () => void;
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
          { key: 'appearance', label: t(($) => $.appearance.tab), children: <AppearanceTab /> },
        ]}
      />
    </Modal>
  );
};
