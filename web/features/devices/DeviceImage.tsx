import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useCan } from '#web/api/session.ts';
import { ImageUpload } from '#web/parts/ImageUpload.tsx';
import { type DeviceDetail, useReloadDevices } from './devices.query.ts';

/** A picture of the mounted device. */
export const DeviceImage = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const reload = useReloadDevices();
  const may = useCan('device.write');
  if (!may && device.image_id === null) return null;
  const change = async (imageId: string | null) => {
    await attempt(async () => {
      await call(deviceEndpoints.image, {
        device_id: device.device_id,
        revision: device.revision,
        image_id: imageId,
      });
    });
    await reload();
  };
  return (
    <ImageUpload
      label={t(($) => $.image)}
      value={device.image_id}
      disabled={!may}
      onChange={(imageId) => void change(imageId)}
    />
  );
};
