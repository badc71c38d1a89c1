import type { DeviceDetail } from '../../features/devices/devices.query.ts';
import { LinesPanel } from '../../features/lines/LinesPanel.tsx';
import { OneKeyButtons } from '../../features/one-key/OneKeyButtons.tsx';
import { LineTags } from '../../features/tags/LineTags.tsx';
import { useLiveTags } from '../../features/tags/tags.query.ts';

/** The lines of a device: with their tags, single switching and one-key. */
export const DeviceLines = ({ device }: { device: DeviceDetail }) => {
  useLiveTags();
  return (
    <>
      <div className="lines-tools">
        <OneKeyButtons deviceIds={[device.device_id]} />
      </div>
      <LinesPanel device={device} tags={(line) => <LineTags line={line} projectId={device.project_id} />} />
    </>
  );
};
