import { useTranslation } from 'react-i18next';
import { TimeText } from '#web/values/TimeText.tsx';
import type { DeviceDetail } from './devices.query.ts';

/** Refused messages of the device by reason, and the last one. */
export const Refusals = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const { refused, refused_last: last } = device;
  return (
    <section className="panel">
      <h2>{t(($) => $.refused.title)}</h2>
      {refused.length === 0 && <p className="soft">{t(($) => $.refused.none)}</p>}
      <ul className="plain-list">
        {refused.map(({ reason, count }) => (
          <li key={reason}>
            <code>{reason}</code>
            <span className="tabular">{count}</span>
          </li>
        ))}
      </ul>
      {last && (
        <>
          <p>
            {t(($) => $.refused.last)} <TimeText at={last.at} /> · <code>{last.reason}</code> ·{' '}
            <code>{last.topic}</code>
          </p>
          <pre className="device-excerpt">{last.excerpt}</pre>
        </>
      )}
    </section>
  );
};
