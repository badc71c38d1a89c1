import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useLiveDevice } from '#web/api/live.ts';
import type { FetchFirst } from '#web/api/query.ts';
import { deviceQuery, isMissing, useLiveDetail } from '#web/features/devices/devices.query.ts';
import { fetchLines } from '#web/features/lines/lines.query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';
import { withWords } from '../feature.ts';
import { DeviceLines } from './DeviceLines.tsx';

const ChooseDevice = late(async () => (await import('#web/parts/ChooseDevice.tsx')).ChooseDevice);
const MissingDevice = late(
  withWords(['devices'], async () => (await import('#web/features/devices/MissingDevice.tsx')).MissingDevice),
);
const lineSearch = z.object({ device_id: optionalNumber, device: optionalNumber });
export const fetchFirst: FetchFirst = async (client, search) => {
  const { device_id, device } = lineSearch.parse(search);
  const id = device_id ?? device;
  if (id !== undefined) await Promise.all([client.prefetchQuery(deviceQuery(id)), fetchLines(client, id)]);
};

/** All lines of one device. */
export const LineListPage = () => {
  const { t } = useTranslation('shell');
  const [search, setSearch] = useUrlState(lineSearch);
  const device_id = search.device_id ?? search.device;
  const query = useQuery({ ...deviceQuery(device_id ?? 0), enabled: device_id !== undefined });
  useLiveDetail(device_id ?? 0);
  useLiveDevice(device_id);
  if (device_id === undefined) return <ChooseDevice onChoose={(id) => setSearch({ device_id: id })} />;
  if (isMissing(query.error)) return <MissingDevice />;
  return (
    <DataState query={query} rows={8} title={t(($) => $.menu.linelist)}>
      {(device) => (
        <>
          <PageHeader
            title={`${t(($) => $.menu.linelist)} · ${device.name}`}
            note={<OnlineBadge online={device.status === 'online'} />}
          >
            <PathLink to={paths.timers({ device_id })}>{t(($) => $.menu.timingconfig)}</PathLink>
            <PathLink to={paths.device(device_id)}>{device.number}</PathLink>
          </PageHeader>
          <DeviceLines device={device} />
        </>
      )}
    </DataState>
  );
};
