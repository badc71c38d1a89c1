import { useQuery } from '@tanstack/react-query';
import { App, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { useCan } from '../../api/session.ts';
import { DataState } from '../../parts/DataState.tsx';
import { useConfirm } from '../../parts/use-confirm.ts';
import { provable, useProof } from '../../parts/use-proof.tsx';
import { SettingStand } from './SettingStand.tsx';
import { SettingsState } from './SettingsState.tsx';
import './settings.css';
import {
  type Enable,
  type Enables,
  enablesQuery,
  useLiveSettings,
  useSettingsChanged,
} from './settings.query.ts';

/** Functions of a device, on or off. The switch shows what the device reports, with the desired value beside it. */
export const EnablesTab = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('deviceSettings');
  const query = useQuery(enablesQuery(deviceId));
  useLiveSettings(deviceId);
  return (
    <DataState query={query} rows={8}>
      {(shown) => (
        <section className="panel">
          <h2>{t(($) => $.enables)}</h2>
          <SettingsState about={shown} drifted={shown.enables.filter(({ drift }) => drift).length} />
          <ul className="plain-list">
            {shown.enables.map((enable) => (
              <EnableRow key={enable.key} enable={enable} shown={shown} />
            ))}
          </ul>
        </section>
      )}
    </DataState>
  );
};

const EnableRow = ({ enable, shown }: { enable: Enable; shown: Enables }) => {
  const { t } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const prove = useProof();
  const changed = useSettingsChanged();
  const may = useCan('device.configure');
  const [busy, setBusy] = useState(false);
  const { key, name, meaning, reported, desired, read_only, energises } = enable;
  const known = typeof reported === 'boolean' ? reported : null;
  const word = (on: unknown) =>
    on === true ? t(($) => $.on) : on === false ? t(($) => $.offWord) : t(($) => $.notReported);

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
    try {
      const sent = await prove((password) =>
        call(
          deviceSettingEndpoints.enable,
          {
            device_id: shown.device_id,
            revision: shown.revision,
            enables: { [key]: on },
            ...(password === undefined ? {} : { password }),
          },
          provable,
        ),
      );
      if (sent) void message.info(t(($) => (shown.waits === null ? $.send.sent : $.send.staged)));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const [flaw] = Object.values(error.fields);
      if (flaw) void message.warning(flaw);
    } finally {
      setBusy(false);
      await changed();
    }
  };
  return (
    <li className="enable-row">
      <span className="enable-name">
        <strong>{name}</strong>
        <span className="soft enable-meaning">{meaning}</span>
      </span>
      <span className={`enable-state${enable.drift ? ' is-drift' : ''}`}>{word(reported)}</span>
      <span className="enable-wish">
        {enable.state !== 'none' && (enable.state !== 'applied' || enable.drift) && (
          <SettingStand standing={enable}>{word(desired)}</SettingStand>
        )}
      </span>
      {read_only ? (
        <span className="soft enable-switch">{t(($) => $.enable.atDevice)}</span>
      ) : (
        <span className="enable-switch">
          <Switch
            checked={known ?? enable.default}
            disabled={!may}
            loading={busy}
            aria-label={name}
            onChange={(on) => void change(on)}
          />
        </span>
      )}
    </li>
  );
};
