import { CaretRightOutlined, NotificationOutlined, PauseOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useCan } from '#web/api/session.ts';

export const AlarmRowActions = ({
  row,
  isMain = true,
  onHandle,
  onUrge,
  onShelve,
  onDelete,
}: {
  row: AlarmRow;
  /** Handling is the main action. */
  isMain?: boolean;
  onHandle: () => void;
  onUrge: () => void;
  /** Shelves or unshelves it. */
  onShelve?: () => void;
  onDelete?: () => void;
}) => {
  const { t } = useTranslation('alarms');
  const [canHandle, canUrge, canDelete] = [
    useCan('alarm.handle'),
    useCan('alarm.urge'),
    useCan('alarm.delete'),
  ];
  const isOpen = row.status === 'unprocessed';
  return (
    <>
      {canHandle && isOpen && (
        <Button size="small" type={isMain ? 'primary' : 'default'} onClick={onHandle}>
          {t(($) => $.handle.act)}
        </Button>
      )}
      {canUrge && isOpen && (
        <Button size="small" icon={<NotificationOutlined />} title={t(($) => $.urge.act)} onClick={onUrge}>
          <span className="urge-word">{t(($) => $.urge.act)}</span>
        </Button>
      )}
      {canHandle && isOpen && row.active && onShelve && (
        <Button
          size="small"
          icon={row.shelved ? <CaretRightOutlined aria-hidden /> : <PauseOutlined aria-hidden />}
          title={row.shelved ? t(($) => $.shelve.back) : t(($) => $.shelve.act)}
          onClick={onShelve}
        >
          <span className="urge-word">{row.shelved ? t(($) => $.shelve.back) : t(($) => $.shelve.act)}</span>
        </Button>
      )}
      {canDelete && !isOpen && onDelete && (
        <Tooltip title={row.active ? t(($) => $.remove.whyNot) : ''}>
          <Button size="small" danger disabled={row.active} onClick={onDelete}>
            {t(($) => $.remove.act)}
          </Button>
        </Tooltip>
      )}
    </>
  );
};
