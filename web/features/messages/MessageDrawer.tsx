import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type MessageRow, messageEndpoints } from '#contract/messages.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { TimeText } from '#web/values/TimeText.tsx';

/** One message; opening it marks it as read. */
export const MessageDrawer = ({
  id,
  onClose,
  onRead,
  onDelete,
}: {
  id: number | null;
  onClose: () => void;
  onRead: (message: MessageRow) => void;
  onDelete: (id: number) => void;
}) => {
  const { t } = useTranslation('messages');
  const query = useQuery({
    ...endpointQuery(messageEndpoints.detail, { id: id ?? 0 }),
    enabled: id !== null,
  });
  const shown = query.data?.id === id ? query.data : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each message that is opened
  useEffect(() => {
    if (shown && !shown.read) onRead(shown);
  }, [shown?.id]);
  return (
    <Drawer
      open={id !== null}
      onClose={onClose}
      size={480}
      title={shown?.title ?? t(($) => $.title)}
      footer={
        shown && (
          <div className="drawer-foot">
            <Button danger onClick={() => onDelete(shown.id)}>
              {t(($) => $.remove.act)}
            </Button>
          </div>
        )
      }
    >
      {id !== null && (
        <DataState query={query}>
          {(message) => (
            <>
              <p className="soft">
                {t(($) => $.type[message.type])} · <TimeText at={message.time} />
              </p>
              <p className="message-text">{message.text}</p>
              {message.alarm_id !== null && (
                <p>
                  <PathLink to={paths.alarm(message.alarm_id)}>{t(($) => $.open.alarm)}</PathLink>
                </p>
              )}
              {message.device_id !== null && (
                <p>
                  <PathLink to={paths.device(message.device_id)}>{t(($) => $.open.device)}</PathLink>
                </p>
              )}
            </>
          )}
        </DataState>
      )}
    </Drawer>
  );
};
