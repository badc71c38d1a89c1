import type { ReactNode } from 'react';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { sessionEndpoints } from '#contract/session.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';

type Session = ReplyOf<typeof sessionEndpoints.sessions>[number];

/** Sessions with address, browser and last use. `current` marks the reader's own one, `act` ends one. */
export const SessionList = <Row extends Session>({
  sessions,
  current,
  act,
}: {
  sessions: readonly Row[];
  current: ReactNode;
  act: (session: Row) => ReactNode;
}) => (
  <ul className="plain-list">
    {sessions.map((session) => (
      <li key={session.id}>
        <div>
          <div>
            {session.address} {session.current && current}
          </div>
          <div className="soft">{session.agent}</div>
          <div className="soft">
            <LastSeen at={session.seen_at} />
          </div>
        </div>
        {act(session)}
      </li>
    ))}
  </ul>
);
