import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '../../api/query.ts';
import { DataState } from '../../parts/DataState.tsx';
import { MapView } from '../../parts/map/MapView.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { AlarmLevel } from '../../values/AlarmLevel.tsx';

/** Projects on the map; a mark opens the projects under it, and each leads to its devices and alarms. */
export const PlacesPanel = () => {
  const { t } = useTranslation('dashboard');
  const query = useQuery(endpointQuery(dashboardEndpoints.places, {}));
  const [picked, setPicked] = useState<readonly number[]>([]);
  const list = query.data?.list;
  const places = useMemo(
    () => (list ?? []).map(({ project_id, ...place }) => ({ ...place, id: project_id })),
    [list],
  );
  const shown = (list ?? []).filter(({ project_id }) => picked.includes(project_id));
  return (
    <section className="panel datascreen-map" aria-labelledby="places">
      <h2 id="places">{t(($) => $.map.title)}</h2>
      <DataState query={query} height="100%" rows={8}>
        {() => <MapView title={t(($) => $.map.title)} places={places} height="100%" onPick={setPicked} />}
      </DataState>
      <p className="map-note">{t(($) => $.map.schematic)}</p>
      <Drawer
        open={shown.length > 0}
        onClose={() => setPicked([])}
        title={t(($) => $.map.projects, { count: shown.length })}
        size={420}
      >
        <ul className="plain-list">
          {shown.map((place) => (
            <li key={place.project_id}>
              <div>
                <strong>{place.name}</strong>
                <div className="soft">{place.region}</div>
                <div>{t(($) => $.map.devices, { online: place.online, count: place.devices })}</div>
                <PathLink to={paths.deviceList({ project_id: place.project_id })}>
                  {t(($) => $.map.toDevices)}
                </PathLink>{' '}
                ·{' '}
                <PathLink to={paths.alarmList({ project_id: place.project_id })}>
                  {t(($) => $.map.toAlarms, { count: place.unprocessed })}
                </PathLink>
              </div>
              <AlarmLevel level={place.worst} />
            </li>
          ))}
        </ul>
      </Drawer>
    </section>
  );
};
