import { Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import './keys.css';

/** All keys of the console, by where they work. */
export const KeySheet = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('keys');
  const { t: ts } = useTranslation('shell');
  const parts: { title: string; rows: [keys: string, does: string][] }[] = [
    {
      title: t(($) => $.everywhere),
      rows: [
        ['Ctrl K', t(($) => $.palette)],
        ['/', t(($) => $.search)],
        ['w', t(($) => $.worst)],
        ['g d', ts(($) => $.menu.datascreen)],
        ['g a', ts(($) => $.menu.alarmList)],
        ['g p', ts(($) => $.menu.projectlist)],
        ['g e', ts(($) => $.menu.devicelist)],
        ['?', t(($) => $.sheet)],
        ['Esc', t(($) => $.close)],
      ],
    },
    {
      title: ts(($) => $.menu.alarmList),
      rows: [
        ['j ↓', t(($) => $.next)],
        ['k ↑', t(($) => $.previous)],
        ['Enter', t(($) => $.show)],
        ['h', t(($) => $.handle)],
        ['s', t(($) => $.shelve)],
        ['r', t(($) => $.remind)],
        ['x', t(($) => $.select)],
      ],
    },
    {
      title: t(($) => $.handling),
      rows: [
        ['1 … 9', t(($) => $.text)],
        ['Enter', t(($) => $.send)],
      ],
    },
    {
      title: t(($) => $.paletteOpen),
      rows: [
        ['↓ ↑', t(($) => $.walk)],
        ['Enter', t(($) => $.follow)],
      ],
    },
    {
      title: t(($) => $.parts),
      rows: [
        ['← → Home End', t(($) => $.tabs)],
        ['← → ↑ ↓', t(($) => $.week)],
        ['↑ ↓', t(($) => $.number)],
        ['Esc', t(($) => $.chart)],
      ],
    },
    {
      title: t(($) => $.popup),
      rows: [
        ['Enter', t(($) => $.show)],
        ['Esc', t(($) => $.dismissPopup)],
      ],
    },
  ];
  return (
    <Modal open={open} onCancel={onClose} footer={null} width={760} title={t(($) => $.title)}>
      <div className="key-parts">
        {parts.map(({ title, rows }) => (
          <section key={title}>
            <h3 className="key-title">{title}</h3>
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
          </section>
        ))}
      </div>
    </Modal>
  );
};
