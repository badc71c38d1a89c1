import { ClockCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import Dropdown from 'antd/es/dropdown/dropdown.js';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { SoundButton } from './SoundButton.tsx';

const snoozeMinutes = [5, 15, 60] as const;

/**
 * The buttons of the pop-up. During a storm the number above them changes twenty times a second, but the
 * buttons are not drawn again.
 */
export const PopupFoot = memo(
  ({
    isStorm,
    others,
    onOpen,
    onClose,
    onSnooze,
  }: {
    isStorm: boolean;
    /** How many pop-ups wait behind this one. */
    others: number;
    onOpen: () => void;
    onClose: () => void;
    onSnooze: (minutes: number) => void;
  }) => {
    const { t } = useTranslation('popups');
    return (
      <>
        <span className="popup-sound">
          <SoundButton />
        </span>
        <div className="popup-foot">
          <Button type="primary" onClick={onOpen}>
            {t(($) => (isStorm ? $.openList : $.open))} <kbd>Enter</kbd>
          </Button>
          <Dropdown
            trigger={['click']}
            menu={{
              items: snoozeMinutes.map((minutes) => ({
                key: minutes,
                label: t(($) => $.snoozeFor, { count: minutes }),
                onClick: () => onSnooze(minutes),
              })),
            }}
          >
            <Button icon={<ClockCircleOutlined />}>{t(($) => $.snooze)}</Button>
          </Dropdown>
          <span className="page-header-gap" />
          <Button type="text" onClick={onClose}>
            {others > 0 ? t(($) => $.next, { count: others }) : t(($) => $.dismiss)} <kbd>Esc</kbd>
          </Button>
        </div>
      </>
    );
  },
);
