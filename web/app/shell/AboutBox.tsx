import { Modal } from 'antd';
import { useTranslation } from 'react-i18next';

export const AboutBox = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('shell');
  return (
    <Modal open={open} onCancel={onClose} footer={null} title="Ampwatch">
      <p>{t(($) => $.about.what)}</p>
      <p>
        <strong>{t(($) => $.about.notCertified)}</strong>
      </p>
      <p>{t(($) => $.about.map)}</p>
      <p>{t(($) => $.about.licence)}</p>
    </Modal>
  );
};
