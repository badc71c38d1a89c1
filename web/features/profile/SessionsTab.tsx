import { useQuery } from '@tanstack/react-query';
import { Button, Tag } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { SessionList } from '#web/parts/SessionList.tsx';

export const SessionsTab = () => {
  const { t } = useTranslation('profile');
  const reload = useReload(sessionEndpoints.sessions);
  const query = useQuery(endpointQuery(sessionEndpoints.sessions, {}));
  const [ending, setEnding] = useState<string | null>(null);
  const end = async (id: string) => {
    setEnding(id);
    await call(sessionEndpoints.endSession, { id }).catch(() => undefined);
    await reload();
    setEnding(null);
  };
  return (
    <DataState query={query} rows={4}>
      {(sessions) => (
        <>
          <SessionList
            sessions={sessions}
            current={<Tag>{t(($) => $.sessions.current)}</Tag>}
            act={({ id, current }) =>
              !current && (
                <Button loading={ending === id} onClick={() => void end(id)}>
                  {t(($) => $.sessions.end)}
                </Button>
              )
            }
          />
          <ExportButton
            endpoint={sessionEndpoints.exportSessions}
            body={{}}
            fileName={t(($) => $.sessions.tab)}
          />
        </>
      )}
    </DataState>
  );
};
