import { CloseOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { overviewShows } from '#contract/frame-parts.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { EnergyOfSite, LoadOfSite, type Site } from './site-figures.tsx';

type Region = ReplyOf<typeof dashboardEndpoints.sites>['regions'][number];
const { rows: shown } = overviewShows;
/** Load and energy change all the time without an event. */
const refreshMs = 15_000;

/** The sites by urgency with the reasons, by region, with links to their projects, devices and alarms. */
export const SitesPanel = ({ region, onRegion }: { region: number | undefined; onRegion: SetUrl }) => {
  const { t } = useTranslation('dashboard');
  const query = useQuery({
    ...endpointQuery(dashboardEndpoints.sites, { limit: shown, ...(region ? { region_id: region } : {}) }),
    refetchInterval: refreshMs,
  });
  return (
    <section className="panel datascreen-sites" aria-labelledby="sites">
      <h2 id="sites">
        {t(($) => $.sites.title)}
        {region && (
          <Button
            size="small"
            icon={<CloseOutlined aria-hidden />}
            iconPlacement="end"
            aria-label={t(($) => $.sites.allRegions)}
            onClick={() => onRegion({ region: undefined }, { push: true })}
          >
            {query.data?.regions.find(({ region_id }) => region_id === region)?.name ?? region}
          </Button>
        )}
      </h2>
      <DataState
        query={query}
        rows={8}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => (region ? $.sites.empty : $.sites.none))}
      >
        {({ list, regions, total }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard
          <section className="sites-room" tabIndex={0} aria-label={t(($) => $.sites.title)}>
            {!region && regions.length > 1 && <Regions regions={regions} onRegion={onRegion} />}
            <ol className="sites-list">
              {list.map((site) => (
                <SiteRow key={site.project_id} site={site} />
              ))}
            </ol>
            {total > list.length && (
              <p className="soft">
                <PathLink to={paths.projectList()}>
                  {t(($) => $.sites.more, { count: total - list.length })}
                </PathLink>
              </p>
            )}
          </section>
        )}
      </DataState>
    </section>
  );
};

const Regions = ({ regions, onRegion }: { regions: readonly Region[]; onRegion: SetUrl }) => {
  const { t } = useTranslation('dashboard');
  return (
    <div className="sites-regions">
      {regions.map(({ region_id, name, projects, unprocessed, worst }) => (
        <Button
          key={region_id}
          size="small"
          title={t(($) => $.sites.regionNote, { projects, unprocessed })}
          onClick={() => onRegion({ region: region_id }, { push: true })}
        >
          <AlarmLevel level={worst} compact /> {name} {projects}
        </Button>
      ))}
    </div>
  );
};

const SiteRow = ({ site }: { site: Site }) => {
  const { t } = useTranslation('dashboard');
  return (
    <li>
      <div className="sites-head">
        <AlarmLevel level={site.worst} compact />
        <PathLink to={paths.project('devicesurvey', site.project_id)}>
          <strong>{site.name}</strong>
        </PathLink>
        <span className="page-header-gap" />
        {site.unprocessed > 0 && (
          <PathLink to={paths.alarmList({ project_id: site.project_id, status: 'unprocessed' })}>
            {t(($) => $.sites.unprocessed, { count: site.unprocessed })}
          </PathLink>
        )}
        {site.active > 0 && (
          <PathLink to={paths.alarmList({ project_id: site.project_id, active: 'true' })}>
            {t(($) => $.sites.active, { count: site.active })}
          </PathLink>
        )}
      </div>
      <div className="sites-note tabular">
        <PathLink to={paths.deviceList({ project_id: site.project_id })}>
          {t(($) => $.sites.offline, { offline: site.offline, count: site.devices })}
        </PathLink>
        <LoadOfSite site={site} />
        <EnergyOfSite site={site} />
      </div>
    </li>
  );
};
