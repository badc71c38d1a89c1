import { Modal } from 'antd';
import { useTranslation } from 'react-i18next';

export const KeySheet = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('shell');
  const rows: [keys: string, does: string][] = [
    ['Ctrl K', t(($) => $.keys.palette)],
    ['/', t(($) => $.keys.search)],
    ['g d', t(($) => $.menu.datascreen)],
    ['g a', t(($) => $.menu.alarmList)],
    ['g p', t(($) => $.menu.projectlist)],
    ['g e', t(($) => $.menu.devicelist)],
    ['?', t(($) => $.keys.sheet)],
    ['Esc', t(($) => $.keys.close)],
  ];
  return (
    <Modal open={open} onCancel={onClose} footer={null} title={t(($) => $.keys.title)}>
      <dl className="key-sheet">
        {rows.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
};
