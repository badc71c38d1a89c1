import { AccessLink } from '#web/features/access/AccessLink.tsx';
import { DeviceFrame } from '#web/features/devices/DeviceFrame.tsx';
import { DeviceEvidence } from '#web/parts/DeviceEvidence.tsx';
import { late } from '#web/parts/late.tsx';
import { PanelCodeLink } from '#web/parts/PanelCodeLink.tsx';
import { withWords } from '../feature.ts';
import { DemoDoor } from './DemoDoor.tsx';
import { DeviceLines } from './DeviceLines.tsx';

const DeviceAlarms = late(
  withWords(['alarms'], async () => (await import('#web/features/alarms/DeviceAlarms.tsx')).DeviceAlarms),
);
const ControlTab = late(
  withWords(['control'], async () => (await import('#web/features/control/ControlTab.tsx')).ControlTab),
);
const CustomTab = late(
  withWords(
    ['device-settings'],
    async () => (await import('#web/features/device-settings/CustomTab.tsx')).CustomTab,
  ),
);
const EnablesTab = late(
  withWords(
    ['device-settings'],
    async () => (await import('#web/features/device-settings/EnablesTab.tsx')).EnablesTab,
  ),
);
const ParametersTab = late(
  withWords(
    ['device-settings'],
    async () => (await import('#web/features/device-settings/ParametersTab.tsx')).ParametersTab,
  ),
);
const HistoryTab = late(
  withWords(['devices'], async () => (await import('#web/features/devices/HistoryTab.tsx')).HistoryTab),
);
const ReadingsChart = late(
  withWords(['lines'], async () => (await import('#web/features/lines/ReadingsChart.tsx')).ReadingsChart),
);
const TrendsPanel = late(
  withWords(['trends'], async () => (await import('#web/features/trends/TrendsPanel.tsx')).TrendsPanel),
);
const DeviceTags = late(
  withWords(['tags'], async () => (await import('#web/features/tags/DeviceTags.tsx')).DeviceTags),
);
const TimersView = late(
  withWords(['timers'], async () => (await import('#web/features/timers/TimersView.tsx')).TimersView),
);

/** The device page, composed of parts of several features. */
export const DevicePage = () => (
  <DeviceFrame
    beside={({ device_id, number }) => (
      <>
        <PanelCodeLink of={{ device_id }} />
        <AccessLink deviceId={device_id} />
        <DeviceEvidence deviceId={device_id} number={number} />
        <DemoDoor key={device_id} deviceId={device_id} number={number} />
      </>
    )}
    parts={{
      lines: (device) => <DeviceLines device={device} />,
      alarms: ({ device_id }) => <DeviceAlarms deviceId={device_id} />,
      readings: ({ device_id, type }) => (
        <>
          <div className="readings-place">
            <ReadingsChart deviceId={device_id} deviceType={type} />
          </div>
          <TrendsPanel deviceId={device_id} />
        </>
      ),
      parameters: (device) => <ParametersTab device={device} />,
      control: (device) => <ControlTab device={device} />,
      enables: ({ device_id }) => <EnablesTab deviceId={device_id} />,
      custom: ({ device_id, number }) => <CustomTab deviceId={device_id} number={number} />,
      tags: (device) => <DeviceTags device={device} />,
      history: ({ device_id }) => <HistoryTab deviceId={device_id} />,
      timers: () => <TimersView />,
    }}
  />
);
