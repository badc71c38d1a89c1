import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useLiveDevice } from '#web/api/live.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TabBar } from '#web/parts/TabBar.tsx';
import { optionalNumber, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';
import { type DevicePart, type DeviceTab, deviceTabs, placeAt } from './device-tabs.ts';
import './devices.css';
import { type DeviceDetail, deviceQuery, isMissing, useLiveDetail } from './devices.query.ts';

const ChooseDevice = late(async () => (await import('#web/parts/ChooseDevice.tsx')).ChooseDevice);
const MissingDevice = late(async () => (await import('./MissingDevice.tsx')).MissingDevice);
const InfoTab = late(async () => (await import('./InfoTab.tsx')).InfoTab);
const SimTab = late(async () => (await import('./SimTab.tsx')).SimTab);
const ContactsTab = late(async () => (await import('./ContactsTab.tsx')).ContactsTab);
const MapTab = late(async () => (await import('./MapTab.tsx')).MapTab);

const frameSearch = z.object({ device_id: optionalNumber, tab: optionalText });
type Own = 'info' | 'sim' | 'contacts' | 'map';
type Given = Record<Exclude<DevicePart, Own>, (device: DeviceDetail) => ReactNode>;
const own: Readonly<Record<Own, (device: DeviceDetail) => ReactNode>> = {
  info: (device) => <InfoTab device={device} />,
  sim: (device) => <SimTab device={device} />,
  contacts: (device) => <ContactsTab device={device} />,
  map: (device) => <MapTab device={device} />,
};
/** State of the section that is being left. */
const forgotten = [
  ...['page', 'sort', 'status', 'state', 'action', 'line_id'],
  ...['view', 'timer', 'enabled', 'run_by', 'sync'],
];

/** One device: its header, and tabs selected by the address. Other features provide the sections. */
export const DeviceFrame = ({
  parts,
  beside,
}: {
  parts: Given;
  beside?: (device: DeviceDetail) => ReactNode;
}) => {
  const [{ device_id }, setSearch] = useUrlState(frameSearch);
  const { t } = useTranslation('devices');
  const query = useQuery({ ...deviceQuery(device_id ?? 0), enabled: device_id !== undefined });
  useLiveDetail(device_id ?? 0);
  useLiveDevice(device_id);
  if (device_id === undefined) return <ChooseDevice onChoose={(id) => setSearch({ device_id: id })} />;
  if (isMissing(query.error)) return <MissingDevice />;
  return (
    <DataState query={query} rows={10} title={t(($) => $.one)}>
      {(device) => (
        <>
          <PageHeader title={`${device.name} · ${device.number}`} note={<DeviceNote device={device} />}>
            {beside && <span className="device-beside">{beside(device)}</span>}
          </PageHeader>
          <DeviceParts device={device} contents={{ ...parts, ...own }} />
        </>
      )}
    </DataState>
  );
};

const DeviceNote = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const formats = useFormats();
  return (
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
  );
};

/** The tabs of a device, and the sections of the selected one. */
const DeviceParts = ({
  device,
  contents,
}: {
  device: DeviceDetail;
  contents: Readonly<Record<DevicePart, (device: DeviceDetail) => ReactNode>>;
}) => {
  const { t } = useTranslation('devices');
  const [search, setSearch] = useUrlState(frameSearch);
  const here = placeAt(search.tab);
  const show = (tab: DeviceTab | DevicePart) =>
    setSearch({ ...Object.fromEntries(forgotten.map((key) => [key, undefined])), tab }, { push: true });
  const content = <Fragment key={`${device.device_id} ${here.part}`}>{contents[here.part](device)}</Fragment>;
  const parts: readonly DevicePart[] = deviceTabs.find(({ key }) => key === here.tab)?.parts ?? [];
  return (
    <TabBar
      label={device.number}
      tabs={deviceTabs.map(({ key }) => ({ key, label: t(($) => $.tab[key]) }))}
      active={here.tab}
      onChange={show}
    >
      {parts.length === 1 ? (
        content
      ) : (
        <TabBar
          label={t(($) => $.tab[here.tab])}
          tabs={parts.map((key) => ({ key, label: t(($) => $.tab[key]) }))}
          active={here.part}
          onChange={show}
          within
        >
          {content}
        </TabBar>
      )}
    </TabBar>
  );
};
