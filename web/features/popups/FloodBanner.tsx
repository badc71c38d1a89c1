import { ThunderboltOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useLow, useRoom } from '#web/theme/use-room.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import './popups.css';

const mostGroups = 4;
const lookAgainMs = 30_000;
const everyMs = 5_000;

/**
 * An alarm flood: how many alarms, since when and from where. Where room is scarce, the sites are one link, so
 * that the banner leaves the screen to the alarms.
 */
export const FloodBanner = () => {
  const { t } = useTranslation('popups');
  const query = useQuery({
    ...endpointQuery(alarmEndpoints.flood, {}),
    refetchInterval: ({ state }) => (state.data?.active ? lookAgainMs : false),
  });
  useLiveRefresh(['alarm'], [alarmEndpoints.flood], everyMs);
  const flood = query.data;
  const isWide = useRoom('table');
  const isLow = useLow();
  if (!flood?.active) return null;
  const shownGroups = isWide && !isLow ? mostGroups : 0;
  return (
    <aside className="flood-banner" role="status">
      <span>
        <ThunderboltOutlined aria-hidden />{' '}
        <strong className="tabular">{t(($) => $.flood, { count: flood.count })}</strong>
        {flood.since !== null && (
          <span className="soft">
            {' '}
            {t(($) => $.since)} <TimeText at={flood.since} kind="time" />
          </span>
        )}
      </span>
      {flood.groups.slice(0, shownGroups).map((group) => (
        <PathLink
          key={group.project_id ?? 0}
          to={paths.alarmList({
            status: 'unprocessed',
            group: 'device',
            ...(group.project_id === null ? {} : { project_id: group.project_id }),
          })}
        >
          {group.project_name || t(($) => $.noProject)} <span className="tabular">{group.count}</span>
          {group.critical > 0 && (
            <span className="is-alarm tabular">
              {' '}
              ({t(($) => $.stormCritical, { count: group.critical })})
            </span>
          )}
        </PathLink>
      ))}
      {flood.groups.length > shownGroups && (
        <PathLink to={paths.alarmList({ status: 'unprocessed', group: 'storm' })}>
          {shownGroups === 0
            ? t(($) => $.allSites, { count: flood.groups.length })
            : t(($) => $.sites, { count: flood.groups.length - shownGroups })}
        </PathLink>
      )}
    </aside>
  );
};
