import { type DeviceDetail, switchedLines } from '#web/features/devices/devices.query.ts';
import { LinesPanel } from '#web/features/lines/LinesPanel.tsx';
import { OneKeyButtons } from '#web/features/one-key/OneKeyButtons.tsx';
import { LineTags } from '#web/features/tags/LineTags.tsx';
import { useLiveTags } from '#web/features/tags/tags.query.ts';

/** The lines of a device: with their tags, single switching and one-key. */
export const DeviceLines = ({ device }: { device: DeviceDetail }) => {
  useLiveTags();
  return (
    <>
      {switchedLines(device) > 0 && (
        <div className="lines-tools">
          <OneKeyButtons deviceIds={[device.device_id]} online={device.status === 'online'} />
        </div>
      )}
      <LinesPanel
        device={device}
        tags={(line) => (
          <LineTags line={line} uploadSeconds={device.interval_seconds} projectId={device.project_id} />
        )}
      />
    </>
  );
};
