import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '../../api/query.ts';
import { DataState } from '../../parts/DataState.tsx';
import { late } from '../../parts/late.tsx';
import { MapView } from '../../parts/map/MapView.tsx';
import { useTiles } from '../../parts/map/tiles.ts';

const PlacesDrawer = late(async () => (await import('./PlacesDrawer.tsx')).PlacesDrawer);

/** Projects on the map, or those of one region from closer by; a mark opens the projects under it, and each leads to its devices and alarms. */
export const PlacesPanel = ({ region }: { region: string | undefined }) => {
  const { t } = useTranslation('dashboard');
  const query = useQuery(endpointQuery(dashboardEndpoints.places, {}));
  const tiles = useTiles();
  const [picked, setPicked] = useState<readonly number[]>([]);
  const list = query.data?.list;
  const places = useMemo(
    () =>
      (list ?? [])
        .filter((place) => region === undefined || place.region.split(',')[0] === region)
        .map(({ project_id, ...place }) => ({ ...place, id: project_id })),
    [list, region],
  );
  const shown = (list ?? []).filter(({ project_id }) => picked.includes(project_id));
  return (
    <section className="panel datascreen-map" aria-labelledby="places">
      <h2 id="places">{t(($) => $.map.title)}</h2>
      <DataState query={query} height="100%" rows={8}>
        {() => (
          <MapView
            key={region ?? ''}
            title={t(($) => $.map.title)}
            places={places}
            height="100%"
            onPick={setPicked}
            closer={region !== undefined}
          />
        )}
      </DataState>
      {tiles === null && <p className="map-note">{t(($) => $.map.schematic)}</p>}
      {shown.length > 0 && <PlacesDrawer places={shown} onClose={() => setPicked([])} />}
    </section>
  );
};
