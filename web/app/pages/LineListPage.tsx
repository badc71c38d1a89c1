import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useLiveDevice } from '../../api/live.ts';
import { deviceQuery, useLiveDetail } from '../../features/devices/devices.query.ts';
import { LinesPanel } from '../../features/lines/LinesPanel.tsx';
import { DataState } from '../../parts/DataState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { optionalNumber, useUrlState } from '../../parts/url-state.ts';
import { OnlineBadge } from '../../values/OnlineBadge.tsx';
import { MissingPage } from '../MissingPage.tsx';

const lineSearch = z.object({ device_id: optionalNumber });

/** All lines of one device. */
export const LineListPage = () => {
  const { t } = useTranslation('shell');
  const [{ device_id }] = useUrlState(lineSearch);
  const query = useQuery({ ...deviceQuery(device_id ?? 0), enabled: device_id !== undefined });
  useLiveDetail(device_id ?? 0);
  useLiveDevice(device_id ?? 0);
  if (device_id === undefined) return <MissingPage />;
  return (
    <DataState query={query} rows={8}>
      {(device) => (
        <>
          <PageHeader
            title={`${t(($) => $.menu.linelist)} · ${device.name}`}
            note={<OnlineBadge online={device.status === 'online'} />}
          >
            <PathLink to={paths.device(device_id)}>{device.number}</PathLink>
          </PageHeader>
          <LinesPanel device={device} />
        </>
      )}
    </DataState>
  );
};
