import { CheckOutlined, ExclamationOutlined, PauseOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useNow } from '#web/values/use-now.ts';

/** Whether the alarm of a row was handled, and whether it is still active. */
export const AlarmStanding = ({
  row,
}: {
  row: Pick<AlarmRow, 'status' | 'active' | 'reset_needed' | 'urged' | 'shelved'>;
}) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  const now = useNow();
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
      {row.shelved && Date.parse(row.shelved.until) > now && (
        <span className="soft" title={`${row.shelved.operator}${formats.colon}${row.shelved.reason}`}>
          <PauseOutlined aria-hidden /> {t(($) => $.shelve.until, { time: formats.time(row.shelved.until) })}
        </span>
      )}
      {row.urged > 0 && <span className="soft">{t(($) => $.standing.urged, { count: row.urged })}</span>}
    </span>
  );
};
