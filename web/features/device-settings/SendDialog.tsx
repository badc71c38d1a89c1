import { App, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { attempt } from '#web/api/attempt.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { useRefusal } from '#web/parts/use-refusal.tsx';
import { ChangeList } from './ChangeList.tsx';
import type { Change } from './setting-edits.ts';
import { type Settings, type SettingsDevice, useSettingsChanged } from './settings.query.ts';

/** Shows the changes before they are sent; an offline device gets them later. */
export const SendDialog = ({
  device,
  settings,
  revision,
  changes,
  onSent,
  onClose,
}: {
  device: SettingsDevice;
  settings: Settings;
  /** The revision on which the edits are based. */
  revision: number;
  changes: readonly Change[];
  onSent: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  useFocusBack();
  const { message } = App.useApp();
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const [busy, setBusy] = useState(false);
  const refusal = useRefusal(useCutRefusal());
  const send = async () => {
    setBusy(true);
    await attempt(async () => {
      const sent = await prove(deviceSettingEndpoints.set, {
        device_id: device.device_id,
        revision,
        settings: changes.map(({ setting, after }) => ({
          key: setting.key,
          value: after,
          ...(setting.n > 0 ? { n: setting.n } : {}),
        })),
      });
      if (!sent) return;
      void message.info(t(($) => (settings.waits === null ? $.send.sent : $.send.staged)));
      onSent();
    });
    setBusy(false);
    onClose();
    await changed();
  };
  return (
    <Modal
      open
      title={t(($) => $.send.title, { number: device.number })}
      okText={t(($) => $.send.confirm)}
      okButtonProps={refusal.button}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={onClose}
    >
      {refusal.text}
      <ChangeList changes={changes} />
      {settings.waits !== null && <p>{t(($) => $.staged)}</p>}
    </Modal>
  );
};
