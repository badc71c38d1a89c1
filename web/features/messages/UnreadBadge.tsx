import { Badge } from 'antd';
import { useTranslation } from 'react-i18next';
import './messages.css';
import { useMessageTypes } from './messages.query.ts';

/** Number of unread messages, beside the menu entry. */
export const UnreadBadge = () => {
  const { t } = useTranslation('messages');
  const { data } = useMessageTypes();
  const unread = data?.unread ?? 0;
  return (
    <Badge
      className="unread-badge"
      count={unread}
      size="small"
      overflowCount={999}
      title={t(($) => $.unread, { count: unread })}
    />
  );
};
