import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { AlarmLevel } from '../../values/AlarmLevel.tsx';

type Place = ReplyOf<typeof dashboardEndpoints.places>['list'][number];

/** The projects under a mark of the map, each leading to its devices and alarms. */
export const PlacesDrawer = ({ places, onClose }: { places: readonly Place[]; onClose: () => void }) => {
  const { t } = useTranslation('dashboard');
  return (
    <Drawer open onClose={onClose} title={t(($) => $.map.projects, { count: places.length })} size={420}>
      <ul className="plain-list">
        {places.map((place) => (
          <li key={place.project_id}>
            <div>
              <PathLink to={paths.projectView(place.project_id)}>
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
    </Drawer>
  );
};
