import { DeviceAlarms } from '../../features/alarms/DeviceAlarms.tsx';
import { ControlTab } from '../../features/control/ControlTab.tsx';
import { DemoDoor } from '../../features/demo/DemoDoor.tsx';
import { CustomTab } from '../../features/device-settings/CustomTab.tsx';
import { EnablesTab } from '../../features/device-settings/EnablesTab.tsx';
import { ParametersTab } from '../../features/device-settings/ParametersTab.tsx';
import { DeviceFrame } from '../../features/devices/DeviceFrame.tsx';
import { HistoryTab } from '../../features/devices/HistoryTab.tsx';
import { ReadingsChart } from '../../features/lines/ReadingsChart.tsx';
import { DeviceTags } from '../../features/tags/DeviceTags.tsx';
import { DeviceLines } from './DeviceLines.tsx';

/** The page of a device is put together from the features that know its sides. */
export const DevicePage = () => (
  <DeviceFrame
    beside={({ device_id, number }) => <DemoDoor key={device_id} deviceId={device_id} number={number} />}
    tabs={{
      lines: (device) => <DeviceLines device={device} />,
      alarms: ({ device_id }) => <DeviceAlarms deviceId={device_id} />,
      readings: ({ device_id, type }) => <ReadingsChart deviceId={device_id} deviceType={type} />,
      parameters: (device) => <ParametersTab device={device} />,
      control: (device) => <ControlTab device={device} />,
      enables: ({ device_id }) => <EnablesTab deviceId={device_id} />,
      custom: ({ device_id, number }) => <CustomTab deviceId={device_id} number={number} />,
      tags: (device) => <DeviceTags device={device} />,
      history: ({ device_id }) => <HistoryTab deviceId={device_id} />,
    }}
  />
);
