import { CloseOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { overviewShows } from '#contract/frame-parts.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { Quantity } from '#web/values/Quantity.tsx';

type Site = ReplyOf<typeof dashboardEndpoints.sites>['list'][number];
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
        empty={t(($) => $.sites.empty)}
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

/** Growth since yesterday; empty if yesterday has no figure. */
const changeOf = ({ energy_today_kwh, energy_same_time_kwh }: Site): number | null =>
  energy_same_time_kwh === 0 ? null : energy_today_kwh / energy_same_time_kwh - 1;

/** A figure that links to its source; a plain figure for readers who may not go there. */
const Leading = ({ to, children }: { to: string | false; children: ReactNode }) =>
  to === false ? <span>{children}</span> : <PathLink to={to}>{children}</PathLink>;

/** The load against the power that the supply contract allows; stressed when it is more. */
const ShareOfContract = ({ load_w, contract_kw }: Site) => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  if (contract_kw === null) return null;
  const share = load_w / 1000 / contract_kw;
  const text = ` (${t(($) => $.sites.ofContract, { share: formats.percent(share) })})`;
  return share > 1 ? <strong>{text}</strong> : text;
};

const SiteRow = ({ site }: { site: Site }) => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const change = changeOf(site);
  const [mayLoad, mayEnergy] = [useCan('statistics.electricity'), useCan('statistics.energy')];
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
        <Leading to={mayLoad && paths.project('loadstatistics', site.project_id)}>
          <Quantity value={site.load_w / 1000} unit="kW" />
          <ShareOfContract {...site} />
        </Leading>
        <Leading to={mayEnergy && paths.project('energydetail', site.project_id)}>
          <span title={t(($) => $.sites.sameTime)}>
            <Quantity value={site.energy_today_kwh} unit="kWh" digits={0} />
            {change !== null && ` (${change > 0 ? '+' : ''}${formats.percent(change)})`}
          </span>
        </Leading>
      </div>
    </li>
  );
};
