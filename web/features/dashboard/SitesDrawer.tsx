import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints, type SiteFigure } from '#contract/dashboard.ts';
import { keptQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { EnergyOfSite, LoadOfSite } from './site-figures.tsx';

const mostSites = 50;
/** Load and energy change all the time without an event. */
const refreshMs = 15_000;

/** The projects that make up a total of the overview, largest first. */
export const SitesDrawer = ({ by, onClose }: { by: SiteFigure; onClose: () => void }) => {
  const { t } = useTranslation('dashboard');
  const query = useQuery({
    ...keptQuery(dashboardEndpoints.sites, { order: by, limit: mostSites }),
    refetchInterval: refreshMs,
  });
  return (
    <Drawer
      open
      onClose={onClose}
      title={t(($) => (by === 'load' ? $.sites.byLoad : $.sites.byEnergy))}
      size={460}
    >
      <DataState
        query={query}
        rows={12}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.sites.none)}
      >
        {({ list, total }) => (
          <>
            <ul className="plain-list">
              {list.map((site) => (
                <li key={site.project_id}>
                  <PathLink to={paths.project('devicesurvey', site.project_id)}>{site.name}</PathLink>
                  <span className="tabular nowrap">
                    {by === 'load' ? <LoadOfSite site={site} /> : <EnergyOfSite site={site} />}
                  </span>
                </li>
              ))}
            </ul>
            {total > list.length && (
              <p className="soft">{t(($) => $.sites.more, { count: total - list.length })}</p>
            )}
          </>
        )}
      </DataState>
    </Drawer>
  );
};
