import { useQuery } from '@tanstack/react-query';
import { Alert, Drawer } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { MapView } from '#web/parts/map/MapView.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';

const refreshMs = 10_000;

/** The devices of the same filter on the map; a mark opens the devices at its point. */
export const DevicesMap = ({ filters }: { filters: InputOf<typeof deviceEndpoints.map> }) => {
  const { t } = useTranslation('devices');
  const wide = useRoom('table');
  const query = useQuery(endpointQuery(deviceEndpoints.map, filters));
  useLiveRefresh(['device_state', 'alarm', 'alarm_update'], [deviceEndpoints.map], refreshMs);
  const [picked, setPicked] = useState<readonly number[]>([]);
  const list = query.data?.list;
  const places = useMemo(
    () => (list ?? []).map(({ device_id, ...place }) => ({ ...place, id: device_id })),
    [list],
  );
  const shown = (list ?? []).filter(({ device_id }) => picked.includes(device_id));
  return (
    <section className="panel" aria-label={t(($) => $.map.devices)}>
      {query.data?.truncated && (
        <Alert type="info" showIcon title={t(($) => $.map.truncated, { count: places.length })} />
      )}
      <DataState
        query={query}
        rows={12}
        isEmpty={(found) => found.list.length === 0}
        empty={t(($) => $.map.none)}
      >
        {() => (
          <MapView
            title={t(($) => $.map.devices)}
            places={places}
            height={wide ? 560 : 380}
            onPick={setPicked}
          />
        )}
      </DataState>
      <Drawer
        open={shown.length > 0}
        onClose={() => setPicked([])}
        title={t(($) => $.map.here, { count: shown.length })}
        size={420}
      >
        <ul className="plain-list">
          {shown.map(({ device_id, number, name, status, worst }) => (
            <li key={device_id}>
              <span>
                <PathLink to={paths.device(device_id)}>{name}</PathLink>{' '}
                <span className="soft tabular">{number}</span>
              </span>
              <AlarmLevel level={worst} />
              <OnlineBadge online={status === 'online'} />
            </li>
          ))}
        </ul>
      </Drawer>
    </section>
  );
};
