import { Typography } from 'antd';
import { useTranslation } from 'react-i18next';
import { Signal } from '#web/values/Signal.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import type { DeviceDetail } from './devices.query.ts';
import { IccidChange } from './IccidChange.tsx';

const numbers = ['imei', 'imsi', 'iccid'] as const;
export const SimTab = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  return (
    <section className="panel">
      <h2>{t(($) => $.tab.sim)}</h2>
      <dl className="facts">
        {numbers.map((name) => (
          <div key={name}>
            <dt>{name.toUpperCase()}</dt>
            <dd>
              {device[name] === '' ? (
                '—'
              ) : (
                <Typography.Text copyable className="tabular">
                  {device[name]}
                </Typography.Text>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>{t(($) => $.column.signal)}</dt>
          <dd>
            <Signal dBm={device.signal} stale={device.status === 'offline'} />
          </dd>
        </div>
        <div>
          <dt>{t(($) => $.column.expires)}</dt>
          <dd>
            <TimeText at={device.expires_on} kind="day" />
          </dd>
        </div>
      </dl>
      <IccidChange device={device} />
    </section>
  );
};
