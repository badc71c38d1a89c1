import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Tag } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, keyOf } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';

export const SessionsTab = () => {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const query = useQuery(endpointQuery(sessionEndpoints.sessions, {}));
  const [ending, setEnding] = useState<string | null>(null);
  const end = async (id: string) => {
    setEnding(id);
    await call(sessionEndpoints.endSession, { id }).catch(() => undefined);
    await client.invalidateQueries({ queryKey: keyOf(sessionEndpoints.sessions) });
    setEnding(null);
  };
  return (
    <DataState query={query} rows={4}>
      {(sessions) => (
        <>
          <ul className="plain-list">
            {sessions.map((session) => (
              <li key={session.id}>
                <div>
                  <div>
                    {session.address} {session.current && <Tag>{t(($) => $.sessions.current)}</Tag>}
                  </div>
                  <div className="soft">{session.agent}</div>
                  <div className="soft">
                    <LastSeen at={session.seen_at} />
                  </div>
                </div>
                {!session.current && (
                  <Button loading={ending === session.id} onClick={() => void end(session.id)}>
                    {t(($) => $.sessions.end)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
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
