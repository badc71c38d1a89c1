import { DeviceAlarms } from '../../features/alarms/DeviceAlarms.tsx';
import { DemoDoor } from '../../features/demo/DemoDoor.tsx';
import { DeviceFrame } from '../../features/devices/DeviceFrame.tsx';
import { HistoryTab } from '../../features/devices/HistoryTab.tsx';
import { LinesPanel } from '../../features/lines/LinesPanel.tsx';
import { ReadingsChart } from '../../features/lines/ReadingsChart.tsx';

/** The page of a device is put together from the features that know its sides. */
export const DevicePage = () => (
  <DeviceFrame
    beside={({ device_id, number }) => <DemoDoor key={device_id} deviceId={device_id} number={number} />}
    tabs={{
      lines: (device) => <LinesPanel device={device} />,
      alarms: ({ device_id }) => <DeviceAlarms deviceId={device_id} />,
      readings: ({ device_id, type }) => <ReadingsChart deviceId={device_id} deviceType={type} />,
      history: ({ device_id }) => <HistoryTab deviceId={device_id} />,
    }}
  />
);
