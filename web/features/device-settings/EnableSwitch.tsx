import { App, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { attempt } from '#web/api/attempt.ts';
import { useCan } from '#web/api/session.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { type Enable, type Enables, useSettingsChanged } from './settings.query.ts';

/** Shows the reported state of a function; a change is confirmed, and its effect is decided by the server. */
export const EnableSwitch = ({
  enable,
  shown,
}: {
  enable: Enable;
  /** The device, and whether it can be reached now. */
  shown: Pick<Enables, 'device_id' | 'revision' | 'waits'>;
}) => {
  const { t } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const may = useCan('device.configure');
  const [busy, setBusy] = useState(false);
  const { key, name, meaning, reported, energises } = enable;

  const change = async (on: boolean) => {
    const sure = await confirm({
      title: t(($) => (on ? $.enable.onTitle : $.enable.offTitle), { name }),
      content: (
        <>
          <p>{meaning}</p>
          {on && energises && (
            <p>
              <strong>{t(($) => $.enable.energises)}</strong>
            </p>
          )}
        </>
      ),
      okText: t(($) => (on ? $.enable.on : $.enable.off)),
      danger: energises ? on : !on,
    });
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      const sent = await prove(deviceSettingEndpoints.enable, {
        device_id: shown.device_id,
        revision: shown.revision,
        enables: { [key]: on },
      });
      if (sent) void message.info(t(($) => (shown.waits === null ? $.send.sent : $.send.staged)));
    });
    setBusy(false);
    await changed();
  };
  if (enable.read_only) return <span className="soft">{t(($) => $.enable.atDevice)}</span>;
  return (
    <Switch
      checked={typeof reported === 'boolean' ? reported : enable.default}
      disabled={!may}
      loading={busy}
      aria-label={name}
      onChange={(on) => void change(on)}
    />
  );
};
