import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';

export type Settings = ReplyOf<typeof deviceSettingEndpoints.select>;
export type Setting = Settings['device'][number];
export type SettingLine = Settings['lines'][number];
export type PlatformLimit = SettingLine['platform'][number];
export type Enables = ReplyOf<typeof deviceSettingEndpoints.enablesShown>;
export type Enable = Enables['enables'][number];
export type Standing = Pick<
  Setting,
  'desired' | 'reported' | 'state' | 'drift' | 'message' | 'operator' | 'wished_at'
>;

export interface SettingsDevice {
  device_id: number;
  number: string;
  name: string;
  type: number;
  project_id: number | null;
}

export const settingsQuery = (deviceId: number) =>
  endpointQuery(deviceSettingEndpoints.select, { device_id: deviceId });
export const enablesQuery = (deviceId: number) =>
  endpointQuery(deviceSettingEndpoints.enablesShown, { device_id: deviceId });
const shown = [deviceSettingEndpoints.select, deviceSettingEndpoints.enablesShown];
/** Reloads the settings of a device when desired values or reports change. */
export const useLiveSettings = (deviceId: number): void =>
  useLiveRefresh(
    ['settings', 'device_state'],
    shown,
    500,
    (data) => 'device_id' in data && data.device_id === deviceId,
  );
export const useSettingsChanged = (): (() => Promise<void>) => useReload(...shown);
