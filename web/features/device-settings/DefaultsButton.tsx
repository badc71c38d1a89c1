import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { attempt } from '#web/api/attempt.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { allSettings } from './setting-edits.ts';
import { type Settings, type SettingsDevice, useSettingsChanged } from './settings.query.ts';

/** Sets the catalogue's values: for a device that was never set, or as a reset. */
export const DefaultsButton = ({ device, settings }: { device: SettingsDevice; settings: Settings }) => {
  const { t } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const isFirst = allSettings(settings).every(({ state }) => state === 'none');
  const send = async () => {
    const sure = await confirm({
      title: t(($) => (isFirst ? $.defaults.firstTitle : $.defaults.title), { number: device.number }),
      content: t(($) => $.defaults.text),
      okText: t(($) => $.send.confirm),
      danger: !isFirst,
    });
    if (!sure) return;
    await attempt(async () => {
      const sent = await prove(isFirst ? deviceSettingEndpoints.first : deviceSettingEndpoints.defaults, {
        device_id: device.device_id,
        revision: settings.revision,
      });
      if (sent) void message.info(t(($) => (settings.waits === null ? $.send.sent : $.send.staged)));
    });
    await changed();
  };
  return (
    <Button className="setting-defaults" onClick={() => void send()}>
      {t(($) => (isFirst ? $.defaults.first : $.defaults.act))}
    </Button>
  );
};
