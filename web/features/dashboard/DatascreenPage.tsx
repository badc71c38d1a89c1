import { FullscreenExitOutlined, FullscreenOutlined, LayoutOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type DashboardPanel, dashboardEndpoints, siteFigures } from '#contract/dashboard.ts';
import { overviewCall, overviewParts } from '#contract/frame-parts.ts';
import { askTogether } from '#web/api/frame.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { optionalNumber, optionalOf, type SetUrl, useUrlState } from '#web/parts/url-state.ts';
import { useFrame } from '#web/parts/use-frame.ts';
import { ComparisonPanel } from './ComparisonPanel.tsx';
import './dashboard.css';
import { LatestAlarms } from './LatestAlarms.tsx';
import type { Layout } from './LayoutDrawer.tsx';
import { MonthsPanel } from './MonthsPanel.tsx';
import { PlacesPanel } from './PlacesPanel.tsx';
import { pagesOf, panelWidths, type WallPage } from './pages.ts';
import { SitesPanel } from './SitesPanel.tsx';
import { SpreadPanel } from './SpreadPanel.tsx';
import { Totals } from './Totals.tsx';
import { TrendPanel } from './TrendPanel.tsx';
import { useFullScreen } from './use-full-screen.ts';
import { usePages } from './use-pages.ts';
import { useWall, useWallRoom } from './use-wall.ts';

const LayoutDrawer = late(async () => (await import('./LayoutDrawer.tsx')).LayoutDrawer);
const SitesDrawer = late(async () => (await import('./SitesDrawer.tsx')).SitesDrawer);
const { latest, places, placeDetails, sites, census, trend, comparison, months, spread, setting } =
  dashboardEndpoints;
const datascreenSearch = z.object({ region: optionalNumber, by: optionalOf(siteFigures) });

export const DatascreenPage = () => {
  const { t } = useTranslation('dashboard');
  const client = useQueryClient();
  useState(() => {
    // Loads all panels together on the first visit only. Later each panel refreshes its own data.
    if (client.getQueryData(endpointQuery(setting, {}).queryKey) === undefined)
      askTogether(overviewCall, overviewParts);
  });
  useWall();
  useFrame('datascreen');
  useLiveRefresh(['alarm', 'alarm_update'], [latest, places, placeDetails, sites], 1000);
  useLiveRefresh(['alarm', 'alarm_update'], [trend, comparison, months, spread], 15_000);
  useLiveRefresh(['line_state', 'device_state'], [census], 5000);
  useLiveRefresh(['device_state'], [places, placeDetails, sites], 5000);
  const layout = useQuery(endpointQuery(setting, {}));
  const [editing, setEditing] = useState(false);
  const [{ by }, setSearch] = useUrlState(datascreenSearch);
  const { full, toggle } = useFullScreen();
  return (
    <div className="datascreen">
      <PageHeader title={t(($) => $.title)}>
        <Button
          icon={<LayoutOutlined aria-hidden />}
          disabled={layout.data === undefined}
          onClick={() => setEditing(true)}
        >
          {t(($) => $.layout.open)}
        </Button>
        {toggle && (
          <Button
            icon={full ? <FullscreenExitOutlined aria-hidden /> : <FullscreenOutlined aria-hidden />}
            onClick={toggle}
          >
            {t(($) => (full ? $.layout.leaveFull : $.layout.full))}
          </Button>
        )}
      </PageHeader>
      <Totals />
      <DataState query={layout} rows={12}>
        {(chosen) => <Panels layout={chosen} />}
      </DataState>
      {editing && layout.data && <LayoutDrawer layout={layout.data} onClose={() => setEditing(false)} />}
      {by && <SitesDrawer by={by} onClose={() => setSearch({ by: undefined })} />}
    </div>
  );
};

/**
 * On a wall or desk screen one page at a time, without scrolling; on smaller screens all panels below each
 * other.
 */
const Panels = ({ layout }: { layout: Layout }) => {
  const { t } = useTranslation('dashboard');
  const [{ region }, setSearch] = useUrlState(datascreenSearch);
  const wall = useWallRoom();
  const pages = pagesOf(layout.panels, layout.page_size);
  const [page, setPage] = usePages(pages.length, wall ? layout.cycle_s : 0);
  const shown = wall ? pages.slice(page, page + 1) : pages;
  return (
    <>
      {shown.map((each) => (
        <PanelPage
          key={[...each.tall, ...each.charts].join()}
          page={each}
          region={region}
          onRegion={setSearch}
        />
      ))}
      {wall && pages.length > 1 && (
        <nav className="datascreen-pages" aria-label={t(($) => $.layout.pages)}>
          {pages.map((each, index) => (
            <Button
              key={[...each.tall, ...each.charts].join()}
              size="small"
              type={index === page ? 'primary' : 'default'}
              aria-current={index === page ? 'page' : undefined}
              onClick={() => setPage(index)}
            >
              {index + 1}
            </Button>
          ))}
        </nav>
      )}
    </>
  );
};

interface Drill {
  region: number | undefined;
  onRegion: SetUrl;
}
const PanelPage = ({ page, ...drill }: { page: WallPage } & Drill) => (
  <div className="datascreen-grid">
    {([page.tall, page.charts] as const).map(
      (row, index) =>
        row.length > 0 && (
          <div
            key={index === 0 ? 'tall' : 'charts'}
            className={index === 0 ? 'datascreen-tall' : 'datascreen-charts'}
          >
            {row.map((panel) => (
              <div key={panel} className="datascreen-cell" style={{ flexGrow: panelWidths[panel] }}>
                <OnePanel panel={panel} {...drill} />
              </div>
            ))}
          </div>
        ),
    )}
  </div>
);
const OnePanel = ({ panel, ...drill }: { panel: DashboardPanel } & Drill) => {
  switch (panel) {
    case 'map':
      return <PlacesPanel region={drill.region} />;
    case 'sites':
      return <SitesPanel {...drill} />;
    case 'latest':
      return <LatestAlarms />;
    case 'trend':
      return <TrendPanel />;
    case 'comparison':
      return <ComparisonPanel />;
    case 'spread':
      return <SpreadPanel />;
    case 'months':
      return <MonthsPanel />;
  }
};
