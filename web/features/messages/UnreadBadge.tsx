import { useTranslation } from 'react-i18next';
import { useKnown } from '#web/api/use-known.ts';
import { CountBadge } from '#web/values/CountBadge.tsx';
import { useAsOf } from '#web/values/use-as-of.ts';
import './messages.css';
import { useMessageTypes } from './messages.query.ts';

/** A number of unread messages in words; undefined: not known. */
export const useUnreadText = (): ((count: number | undefined) => string) => {
  const { t } = useTranslation('messages');
  const asOf = useAsOf();
  return (count) => (count === undefined ? t(($) => $.unreadUnknown) : asOf(t(($) => $.unread, { count })));
};

/** Number of unread messages, beside the menu entry. */
export const UnreadBadge = () => {
  const textOf = useUnreadText();
  const unread = useKnown(useMessageTypes())?.unread;
  return (
    <span className="unread-badge">
      <CountBadge count={unread} title={textOf(unread)} />
    </span>
  );
};
