import { useQueryClient } from '@tanstack/react-query';
import { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf, ReplyOf } from '#contract/endpoint.ts';
import { Fault } from '#web/api/fault.ts';
import { useLive } from '#web/api/live.ts';
import { endpointQuery, keptQuery, keyOf, patchAnswer, useReload } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import type { Selection } from '#web/parts/table/types.ts';
import { type DeviceSearch, listBodyOf } from './device-search.ts';

type DevicePage = ReplyOf<typeof deviceEndpoints.list>;
export type DeviceRow = DevicePage['list'][number];
export type DeviceDetail = ReplyOf<typeof deviceEndpoints.detail>;

export type DeviceActed = ReplyOf<typeof deviceEndpoints.bind>;
export type DeviceOutcome = DeviceActed['results'][number];
/** The rows of an act: selected ones, or all that the filter matches with their confirmed number. */
export type Named = Exclude<Selection, { kind: 'none' }>;
export const namedBody = (named: Named, filter: InputOf<typeof deviceEndpoints.export>) =>
  named.kind === 'filter' ? { filter, expected: named.total } : { device_ids: [...named.ids] };

/** Loads everything again that shows devices, after one was edited. */
export const useReloadDevices = (): (() => Promise<void>) =>
  useReload(deviceEndpoints.list, deviceEndpoints.detail, deviceEndpoints.form, deviceEndpoints.map);

export const devicesQuery = (search: DeviceSearch) => keptQuery(deviceEndpoints.list, listBodyOf(search));
export const deviceQuery = (deviceId: number) =>
  endpointQuery(deviceEndpoints.detail, { device_id: deviceId }, { shownHere: [404] });

/** A device in the list becomes online or offline at once; its counts of lines and alarms follow shortly. */
export const useLiveDevices = (search: DeviceSearch): void => {
  const client = useQueryClient();
  const { queryKey } = devicesQuery(search);
  const shows = (deviceId: number | null) =>
    client.getQueryData<DevicePage>(queryKey)?.list.some(({ device_id }) => device_id === deviceId) ?? false;
  useLive('device_state', ({ device_id, online, at }) => {
    if (!shows(device_id)) return;
    patchAnswer<DevicePage>(client, queryKey, (known) => ({
      ...known,
      list: known.list.map((row) =>
        row.device_id === device_id
          ? { ...row, status: online ? 'online' : 'offline', last_seen: online ? at : row.last_seen }
          : row,
      ),
    }));
  });
  useLiveRefresh(
    ['alarm', 'alarm_update', 'line_state'],
    [deviceEndpoints.list],
    5000,
    (data) => 'device_id' in data && shows(data.device_id),
  );
  useLiveRefresh(['job'], [deviceEndpoints.list], 2000);
};

/** Keeps the details of one device up to date. */
export const useLiveDetail = (deviceId: number): void => {
  const client = useQueryClient();
  const { queryKey } = deviceQuery(deviceId);
  useLive('device_state', ({ device_id, online, at }) => {
    if (device_id !== deviceId) return;
    patchAnswer<DeviceDetail>(client, queryKey, (known) => ({
      ...known,
      status: online ? 'online' : 'offline',
      last_seen: online ? at : known.last_seen,
      offline_since: online ? null : at,
    }));
    void client.invalidateQueries({ queryKey: keyOf(deviceEndpoints.detail) });
  });
  useLive('reading', ({ device_id, at }) => {
    if (device_id !== deviceId) return;
    patchAnswer<DeviceDetail>(client, queryKey, (known) => heardAt(known, at));
  });
};

/**
 * A reading also updates the last contact of the device, so that the device page never shows an older contact
 * than its lines.
 */
const heardAt = <Heard extends { last_seen: string | null }>(device: Heard, at: string): Heard =>
  device.last_seen !== null && device.last_seen >= at ? device : { ...device, last_seen: at };

export type Command = ReplyOf<typeof deviceEndpoints.logs>['list'][number];

/** How many of its lines have a switch. */
export const switchedLines = ({
  lines_open,
  lines_closed,
  lines_unknown,
}: Pick<DeviceRow, 'lines_open' | 'lines_closed' | 'lines_unknown'>): number =>
  lines_open + lines_closed + lines_unknown;

/** Whether a call found no such device in the reader's scope. */
export const isMissing = (error: Error | null): boolean => error instanceof Fault && error.status === 404;
