import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { keptQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';

type Place = ReplyOf<typeof dashboardEndpoints.placeDetails>['list'][number];

/** The projects under a mark of the map, with links to their devices and alarms. */
export const PlacesDrawer = ({ ids, onClose }: { ids: readonly number[]; onClose: () => void }) => {
  const { t } = useTranslation('dashboard');
  const query = useQuery(keptQuery(dashboardEndpoints.placeDetails, { project_ids: [...ids] }));
  return (
    <Drawer open onClose={onClose} title={t(($) => $.map.projects, { count: ids.length })} size={420}>
      <DataState query={query} rows={8}>
        {({ list }) => <Places places={list} />}
      </DataState>
    </Drawer>
  );
};

const Places = ({ places }: { places: readonly Place[] }) => {
  const { t } = useTranslation('dashboard');
  return (
    <ul className="plain-list">
      {places.map((place) => (
        <li key={place.project_id}>
          <div>
            <PathLink to={paths.project('devicesurvey', place.project_id)}>
              <strong>{place.name}</strong>
            </PathLink>
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
  );
};
