import { useTranslation } from 'react-i18next';
import { DevicePicker } from './DevicePicker.tsx';
import { Notice } from './Notice.tsx';

/** Shown by a page of one device when its address names none. */
export const ChooseDevice = ({ onChoose }: { onChoose: (deviceId: number) => void }) => {
  const { t } = useTranslation('common');
  return (
    <Notice title={t(($) => $.chooseDevice.title)} text={t(($) => $.chooseDevice.text)}>
      <DevicePicker
        label={t(($) => $.chooseDevice.label)}
        onChange={(deviceId) => {
          if (deviceId !== undefined) onChoose(deviceId);
        }}
      />
    </Notice>
  );
};
