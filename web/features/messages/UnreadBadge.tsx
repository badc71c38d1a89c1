import { useTranslation } from 'react-i18next';
import { CountBadge } from '#web/values/CountBadge.tsx';
import './messages.css';
import { useMessageTypes } from './messages.query.ts';

/** Number of unread messages, beside the menu entry. */
export const UnreadBadge = () => {
  const { t } = useTranslation('messages');
  const { data } = useMessageTypes();
  const unread = data?.unread ?? 0;
  return (
    <span className="unread-badge">
      <CountBadge count={unread} title={t(($) => $.unread, { count: unread })} />
    </span>
  );
};
