import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { CommandState } from '#web/values/CommandState.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';

const shown = 8;

/** The newest commands of the device with their states. */
export const LatestCommands = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('control');
  const query = useQuery(endpointQuery(deviceEndpoints.logs, { device_id: deviceId, limit: shown }));
  useLiveRefresh(
    ['command'],
    [deviceEndpoints.logs],
    200,
    (data) => 'device_id' in data && data.device_id === deviceId,
  );
  return (
    <section className="panel">
      <h2>{t(($) => $.latest)}</h2>
      <DataState
        query={query}
        rows={4}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.noCommands)}
      >
        {({ list }) => (
          <ul className="plain-list" aria-live="polite">
            {list.map((command) => (
              <li key={command.command_id}>
                <span>
                  <CommandState action={command.action} state={command.state} reason={command.reason} />
                  <span className="soft">
                    {command.n > 0 && ` · ${command.n} ${command.line_name}`} · {command.operator}
                  </span>
                </span>
                <LastSeen at={command.created_at} />
              </li>
            ))}
          </ul>
        )}
      </DataState>
      <p>
        <PathLink to={paths.device(deviceId, { tab: 'history' })}>{t(($) => $.all)}</PathLink>
      </p>
    </section>
  );
};
