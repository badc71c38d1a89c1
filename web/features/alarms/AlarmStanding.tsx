import { CheckOutlined, ExclamationOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';

/** Whether an alarm was handled, and whether its cause still stands. */
export const AlarmStanding = ({
  row,
}: {
  row: Pick<AlarmRow, 'status' | 'active' | 'reset_needed' | 'urged'>;
}) => {
  const { t } = useTranslation('alarms');
  const isOpen = row.status === 'unprocessed';
  return (
    <span className="alarm-standing alarm-narrow">
      <span className={isOpen ? 'alarm-unprocessed' : 'soft'}>
        {isOpen ? <ExclamationOutlined aria-hidden /> : <CheckOutlined aria-hidden />}{' '}
        {t(($) => $.status[row.status])}
      </span>
      <span className="soft">
        {row.reset_needed
          ? t(($) => $.standing.reset)
          : row.active
            ? t(($) => $.standing.active)
            : t(($) => $.standing.ended)}
      </span>
      {row.urged > 0 && <span className="soft">{t(($) => $.standing.urged, { count: row.urged })}</span>}
    </span>
  );
};
