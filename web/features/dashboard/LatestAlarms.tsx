import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { overviewShows } from '#contract/frame-parts.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';

const { rows: shown } = overviewShows;
export const LatestAlarms = () => {
  const { t } = useTranslation('dashboard');
  const query = useQuery(endpointQuery(dashboardEndpoints.latest, { limit: shown }));
  return (
    <section className="panel datascreen-alarms" aria-labelledby="latest">
      <h2 id="latest">{t(($) => $.latest.title)}</h2>
      <DataState
        query={query}
        rows={8}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.latest.empty)}
      >
        {({ list }) => (
          <ol className="alarm-feed">
            {list.map((alarm) => (
              <li key={alarm.id} className={alarm.status === 'processed' ? 'is-processed' : ''}>
                <PathLink to={paths.alarm(alarm.id)}>
                  <span className="alarm-feed-head">
                    <AlarmLevel level={alarm.level} compact />
                    <strong>
                      <AlarmTypeName code={alarm.typeNumber} />
                    </strong>
                    <span className="page-header-gap" />
                    <LastSeen at={alarm.time} />
                  </span>
                  <span className="alarm-feed-where">
                    {[alarm.project_name, alarm.device_number, alarm.line_name].filter(Boolean).join(' · ')}
                  </span>
                  <span className="alarm-feed-where">
                    {t(($) => (alarm.status === 'processed' ? $.latest.processed : $.latest.unprocessed))}
                    {alarm.active && ` · ${t(($) => $.latest.active)}`}
                  </span>
                </PathLink>
              </li>
            ))}
          </ol>
        )}
      </DataState>
    </section>
  );
};
