import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { Fault } from '../../api/fault.ts';
import { useLiveDevice } from '../../api/live.ts';
import { useFormats } from '../../i18n/format.ts';
import { DataState } from '../../parts/DataState.tsx';
import { late } from '../../parts/late.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { TabBar } from '../../parts/TabBar.tsx';
import { optionalNumber, optionalText, useUrlState } from '../../parts/url-state.ts';
import { DeviceTypeName } from '../../values/DeviceTypeName.tsx';
import { LastSeen } from '../../values/LastSeen.tsx';
import { OnlineBadge } from '../../values/OnlineBadge.tsx';
import './devices.css';
import { type DeviceDetail, deviceQuery, useLiveDetail } from './devices.query.ts';

const InfoTab = late(async () => (await import('./InfoTab.tsx')).InfoTab);
const SimTab = late(async () => (await import('./SimTab.tsx')).SimTab);
const ContactsTab = late(async () => (await import('./ContactsTab.tsx')).ContactsTab);
const MapTab = late(async () => (await import('./MapTab.tsx')).MapTab);

const frameSearch = z.object({ device_id: optionalNumber, tab: optionalText });
const givenTabs = [
  'lines',
  'alarms',
  'readings',
  'parameters',
  'control',
  'enables',
  'custom',
  'history',
  'tags',
] as const;
export type DeviceTab = 'info' | 'sim' | 'contacts' | 'map' | (typeof givenTabs)[number];
const order: readonly DeviceTab[] = ['info', 'sim', ...givenTabs, 'contacts', 'map'];
type Given = Record<(typeof givenTabs)[number], (device: DeviceDetail) => ReactNode>;

/** One device: its head, and tabs whose choice is in the address. Other features fill the tabs given. */
export const DeviceFrame = ({
  tabs,
  beside,
}: {
  tabs: Given;
  beside?: (device: DeviceDetail) => ReactNode;
}) => {
  const { t } = useTranslation('devices');
  const formats = useFormats();
  const [{ device_id, tab }, setSearch] = useUrlState(frameSearch);
  const query = useQuery({ ...deviceQuery(device_id ?? 0), enabled: device_id !== undefined });
  useLiveDetail(device_id ?? 0);
  useLiveDevice(device_id ?? 0);
  if (device_id === undefined || (query.error instanceof Fault && query.error.status === 404))
    return (
      <Notice title={t(($) => $.missing.title)} text={t(($) => $.missing.text)}>
        <PathLink to={paths.deviceList()}>
          <Button type="primary" tabIndex={-1}>
            {t(($) => $.missing.list)}
          </Button>
        </PathLink>
      </Notice>
    );
  return (
    <DataState query={query} rows={10}>
      {(device) => {
        const content: Record<DeviceTab, () => ReactNode> = {
          info: () => <InfoTab device={device} />,
          sim: () => <SimTab device={device} />,
          ...(Object.fromEntries(givenTabs.map((key) => [key, () => tabs[key](device)])) as Record<
            (typeof givenTabs)[number],
            () => ReactNode
          >),
          contacts: () => <ContactsTab device={device} />,
          map: () => <MapTab device={device} />,
        };
        const active = order.find((key) => key === tab) ?? 'lines';
        return (
          <>
            <PageHeader
              title={`${device.name} · ${device.number}`}
              note={
                <span className="device-note">
                  <OnlineBadge online={device.status === 'online'} />
                  <span className="soft">
                    <LastSeen at={device.last_seen} />
                    {' · '}
                    {t(($) => $.reportsEvery, { interval: formats.interval(device.interval_seconds) })}
                  </span>
                  <span className="soft">
                    <DeviceTypeName type={device.type} />
                  </span>
                  <span className="soft">{device.project_name}</span>
                </span>
              }
            >
              {beside?.(device)}
            </PageHeader>
            <TabBar
              label={device.number}
              tabs={order.map((key) => ({ key, label: t(($) => $.tab[key]) }))}
              active={active}
              onChange={(key) =>
                setSearch(
                  {
                    tab: key,
                    page: undefined,
                    sort: undefined,
                    status: undefined,
                    state: undefined,
                    action: undefined,
                    line_id: undefined,
                  },
                  { push: true },
                )
              }
            >
              <Fragment key={`${device.device_id} ${active}`}>{content[active]()}</Fragment>
            </TabBar>
          </>
        );
      }}
    </DataState>
  );
};
