import { useQuery } from '@tanstack/react-query';
import { App, Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { userEndpoints } from '#contract/users.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { SessionList } from '#web/parts/SessionList.tsx';

/** The sessions of a user, with the act to sign them out. */
export const UserSessions = ({
  userId,
  name,
  onClose,
}: {
  userId: number | undefined;
  name: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('users');
  const { message } = App.useApp();
  const reload = useReload(userEndpoints.sessions, userEndpoints.list);
  const mayEnd = useCan('user.write');
  const query = useQuery({
    ...endpointQuery(userEndpoints.sessions, { user_id: userId ?? 0 }),
    enabled: userId !== undefined,
  });
  const end = async (id?: string) => {
    await attempt(async () => {
      await call(userEndpoints.endSessions, {
        user_id: userId ?? 0,
        ...(id === undefined ? {} : { id }),
      });
      void message.success(t(($) => $.session.ended));
    });
    await reload();
  };
  return (
    <Drawer
      open={userId !== undefined}
      title={t(($) => $.session.title, { name })}
      size={480}
      destroyOnHidden
      onClose={onClose}
      footer={
        (query.data?.length ?? 0) > 0 ? (
          <div className="drawer-foot">
            <ExportButton
              endpoint={userEndpoints.exportSessions}
              body={{ user_id: userId ?? 0 }}
              fileName={t(($) => $.session.title, { name })}
            />
            {mayEnd && (
              <Button danger onClick={() => void end()}>
                {t(($) => $.session.endAll)}
              </Button>
            )}
          </div>
        ) : null
      }
    >
      <DataState
        query={query}
        rows={4}
        isEmpty={(sessions) => sessions.length === 0}
        empty={t(($) => $.session.none)}
      >
        {(sessions) => (
          <SessionList
            sessions={sessions}
            current={<span className="label-tag">{t(($) => $.session.current)}</span>}
            act={({ id }) =>
              mayEnd && <Button onClick={() => void end(id)}>{t(($) => $.session.end)}</Button>
            }
          />
        )}
      </DataState>
    </Drawer>
  );
};
