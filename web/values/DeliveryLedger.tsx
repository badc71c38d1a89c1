import { useTranslation } from 'react-i18next';
import type { DeliveryRow } from '#contract/deliveries.ts';
import { DeliveryState } from './DeliveryState.tsx';
import { TimeText } from './TimeText.tsx';

/** Who was notified, through which channel, when, and with what result. */
export const DeliveryLedger = ({ rows }: { rows: readonly DeliveryRow[] }) => {
  const { t } = useTranslation('common');
  return (
    <ul className="plain-list delivery-ledger">
      {rows.map((row) => (
        <li key={row.id}>
          <span>
            <strong>{row.recipient || '—'}</strong>
            <span className="soft">
              {' '}
              · {t(($) => $.delivery.channel[row.channel])} · {t(($) => $.delivery.kind[row.kind])}
              {row.alarms > 1 && ` · ${t(($) => $.delivery.alarms, { count: row.alarms })}`}
            </span>
          </span>
          <span>
            <DeliveryState row={row} />{' '}
            <span className="soft">
              <TimeText at={row.ended_at ?? row.sent_at ?? row.created_at} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
};
