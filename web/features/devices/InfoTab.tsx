import { Button, Descriptions, Switch } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import { Signal } from '#web/values/Signal.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { DeviceEdit } from './DeviceEdit.tsx';
import { DeviceImage } from './DeviceImage.tsx';
import type { DeviceDetail } from './devices.query.ts';
import { Refusals } from './Refusals.tsx';
import { type Credentials, SecretDialog } from './SecretDialog.tsx';

export const InfoTab = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const mayWrite = useCan('device.write');
  const hasRoom = useRoom('table');
  const [editing, setEditing] = useState(false);
  const facts = [
    ['number', device.number],
    ['name', device.name],
    ['type', <DeviceTypeName key="type" type={device.type} />],
    ['model', device.model || '—'],
    ['version', device.version || '—'],
    ['hardware', device.hardware || '—'],
    ['project', device.bound ? [device.project_name, device.part_name].filter(Boolean).join(' · ') : '—'],
    ['region', device.region || '—'],
    ['address', device.address || '—'],
    ['registered', <TimeText key="registered" at={device.registered_at} />],
    ['expires', <TimeText key="expires" at={device.expires_on} kind="day" />],
    ['signal', <Signal key="signal" dBm={device.signal} stale={device.status === 'offline'} />],
    ['upload', <Quantity key="upload" value={device.upload_seconds} unit="s" />],
    ['offline', <TimeText key="offline" at={device.offline_since} />],
    ['skew', <Quantity key="skew" value={device.clock_skew_ms} unit="ms" />],
    ['from', device.network_address || '—'],
    ['takeovers', device.takeovers],
    ['timeZone', device.time_zone],
    ['netControl', <NetControl key="net" device={device} />],
  ] as const;
  return (
    <div className="device-panels">
      <section className="panel">
        <h2>{t(($) => $.tab.info)}</h2>
        <Descriptions
          size="small"
          column={hasRoom ? 2 : 1}
          items={facts.map(([key, children]) => ({ key, label: t(($) => $.column[key]), children }))}
        />
        <DeviceImage device={device} />
        <div className="device-acts">
          {mayWrite && <Button onClick={() => setEditing(true)}>{t(($) => $.edit.act)}</Button>}
          <Secret device={device} />
        </div>
        {editing && <DeviceEdit deviceId={device.device_id} onClose={() => setEditing(false)} />}
      </section>
      <Refusals device={device} />
    </div>
  );
};

const NetControl = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const reload = useReload(deviceEndpoints.detail, controlEndpoints.possible);
  const confirm = useConfirm();
  const may = useCan('device.control');
  const [busy, setBusy] = useState(false);
  const change = async (enabled: boolean) => {
    const sure = await confirm({
      title: t(($) => (enabled ? $.netControl.allowTitle : $.netControl.forbidTitle), {
        number: device.number,
      }),
      content: t(($) => (enabled ? $.netControl.allowText : $.netControl.forbidText)),
      okText: t(($) => (enabled ? $.netControl.allow : $.netControl.forbid)),
      danger: true,
    });
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      await call(controlEndpoints.netControl, { device_id: device.device_id, enabled });
      await reload();
    }).finally(() => {
      setBusy(false);
    });
  };
  return (
    <span>
      <Switch
        checked={device.net_ctrl}
        disabled={!may}
        loading={busy}
        aria-label={t(($) => $.column.netControl)}
        onChange={(enabled) => void change(enabled)}
      />{' '}
      {t(($) => (device.net_ctrl ? $.netControl.allowed : $.netControl.forbidden))}
    </span>
  );
};

const Secret = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const confirm = useConfirm();
  const may = useCan('device.secret');
  const [made, setMade] = useState<Credentials | null>(null);
  if (!may) return null;
  const reset = async () => {
    const sure = await confirm({
      title: t(($) => $.secret.resetTitle, { number: device.number }),
      content: t(($) => $.secret.resetText),
      okText: t(($) => $.secret.reset),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      setMade(await call(deviceEndpoints.resetSecret, { device_id: device.device_id }));
    });
  };
  return (
    <>
      <Button onClick={() => void reset()}>{t(($) => $.secret.reset)}</Button>
      <SecretDialog credentials={made} onClose={() => setMade(null)} />
    </>
  );
};
