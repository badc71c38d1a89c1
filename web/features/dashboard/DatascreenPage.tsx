import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { ComparisonPanel } from './ComparisonPanel.tsx';
import './dashboard.css';
import { LatestAlarms } from './LatestAlarms.tsx';
import { MonthsPanel } from './MonthsPanel.tsx';
import { PlacesPanel } from './PlacesPanel.tsx';
import { SpreadPanel } from './SpreadPanel.tsx';
import { Totals } from './Totals.tsx';
import { TrendPanel } from './TrendPanel.tsx';
import { useWall } from './use-wall.ts';

const { latest, places, census, trend, comparison, months, spread } = dashboardEndpoints;

export const DatascreenPage = () => {
  const { t } = useTranslation('dashboard');
  useWall();
  useLiveRefresh(['alarm', 'alarm_update'], [latest, places], 1000);
  useLiveRefresh(['alarm', 'alarm_update'], [trend, comparison, months, spread], 15_000);
  useLiveRefresh(['line_state', 'device_state'], [census], 5000);
  useLiveRefresh(['device_state'], [places], 5000);
  return (
    <div className="datascreen">
      <PageHeader title={t(($) => $.title)} />
      <Totals />
      <div className="datascreen-grid">
        <PlacesPanel />
        <LatestAlarms />
        <TrendPanel />
        <ComparisonPanel />
        <SpreadPanel />
        <MonthsPanel />
      </div>
    </div>
  );
};
