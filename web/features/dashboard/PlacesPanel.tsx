import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { MapView } from '#web/parts/map/MapView.tsx';

const PlacesDrawer = late(async () => (await import('./PlacesDrawer.tsx')).PlacesDrawer);

/**
 * Projects on the map, zoomed to one region if chosen; a mark opens the projects under it, with links to
 * their devices and alarms.
 */
export const PlacesPanel = ({ region }: { region: number | undefined }) => {
  const { t } = useTranslation('dashboard');
  const query = useQuery(endpointQuery(dashboardEndpoints.places, {}));
  const [picked, setPicked] = useState<readonly number[]>([]);
  const list = query.data?.list;
  const places = useMemo(
    () =>
      (list ?? [])
        .filter((place) => region === undefined || place.province_id === region)
        .map(({ project_id, ...place }) => ({ ...place, id: project_id })),
    [list, region],
  );
  return (
    <section className="panel datascreen-map" aria-labelledby="places">
      <h2 id="places">{t(($) => $.map.title)}</h2>
      <DataState query={query} height="100%" rows={8}>
        {() => (
          <MapView
            key={region ?? 'all'}
            title={t(($) => $.map.title)}
            places={places}
            height="100%"
            onPick={setPicked}
          />
        )}
      </DataState>
      {picked.length > 0 && <PlacesDrawer ids={picked} onClose={() => setPicked([])} />}
    </section>
  );
};
