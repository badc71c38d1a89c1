import {
  CheckOutlined,
  ClockCircleOutlined,
  CloseOutlined,
  MinusOutlined,
  SendOutlined,
} from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { DeliveryRow } from '#contract/deliveries.ts';
import { deliveryReasonText } from '#contract/delivery-words.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

const marks = {
  queued: ClockCircleOutlined,
  sent: SendOutlined,
  accepted: CheckOutlined,
  failed: CloseOutlined,
  suppressed: MinusOutlined,
};

/** The result of one delivery to one recipient, with the reason if it failed. */
export const DeliveryState = ({ row }: { row: Pick<DeliveryRow, 'state' | 'reason' | 'attempts'> }) => {
  const { t } = useTranslation('common');
  const Mark = marks[row.state];
  return (
    <span className={`delivery-state delivery-${row.state}`}>
      <Mark aria-hidden /> <strong>{t(($) => $.delivery.state[row.state])}</strong>
      {row.reason !== null && (
        <span className="soft"> · {deliveryReasonText(row.reason, currentLanguage())}</span>
      )}
      {row.attempts > 1 && (
        <span className="soft"> · {t(($) => $.delivery.attempts, { count: row.attempts })}</span>
      )}
    </span>
  );
};
