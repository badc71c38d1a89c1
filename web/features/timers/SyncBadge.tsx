import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import type { Timer } from './timers.query.ts';

const marks = { synced: '✓', pending: '…', conflict: '≠' };

/** Who runs a timer, and for one in a device whether the device confirmed its copy. */
export const SyncBadge = ({ timer }: { timer: Pick<Timer, 'run_by' | 'sync' | 'sync_message'> }) => {
  const { t } = useTranslation('timers');
  const { colon } = useFormats();
  if (timer.run_by === 'server' && timer.sync_message !== null)
    return (
      <Tooltip title={timer.sync_message}>
        <span className="timer-sync is-conflict">
          <span aria-hidden="true">{marks.conflict}</span> {t(($) => $.runBy.server)}
          {colon}
          {t(($) => $.rests)}
        </span>
      </Tooltip>
    );
  if (timer.run_by === 'server') return <span className="soft">{t(($) => $.runBy.server)}</span>;
  const sync = timer.sync ?? 'pending';
  return (
    <Tooltip title={timer.sync_message ?? t(($) => $.syncWhy[sync])}>
      <span className={`timer-sync is-${sync}`}>
        <span aria-hidden="true">{marks[sync]}</span> {t(($) => $.runBy.device)}
        {colon}
        {t(($) => $.sync[sync])}
      </span>
    </Tooltip>
  );
};
