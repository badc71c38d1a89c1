import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { MainMenu } from './MainMenu.tsx';

/** The menu as a drawer, if there is no room beside the page. */
export const PhoneMenu = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('shell');
  return (
    <Drawer open={open} onClose={onClose} placement="left" size={280} title="Ampwatch">
      <nav aria-label={t(($) => $.navigation)}>
        <MainMenu />
      </nav>
    </Drawer>
  );
};
