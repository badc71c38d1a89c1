import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { OnlineBadge } from '#web/values/OnlineBadge.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import type { DiagramDevice } from './site-types.ts';

/** One device of the diagram with its lines: state, load, and load as a share of the rating. */
export const SiteDevice = ({ device, children }: { device: DiagramDevice; children: ReactNode }) => {
  const { t } = useTranslation('projects');
  const ages = useAges();
  return (
    <article className="site-device">
      <header>
        <PathLink to={paths.device(device.device_id, { tab: 'lines' })}>
          {device.name || device.number}
        </PathLink>
        <OnlineBadge online={device.online} />
      </header>
      <span className="soft tabular">{device.number}</span>
      {children}
      <ul className="plain-list">
        {device.lines.map((line) => {
          const { stale, values_stale } = ages(line, device.interval_seconds);
          const old = (line.switchable && stale) || values_stale;
          const oldest = line.switchable && stale ? line.observed_at : line.values_at;
          const share =
            line.current === null || line.rated_current === null
              ? null
              : Math.min(1, line.current / line.rated_current);
          return (
            <li
              key={line.line_id}
              className={`site-line site-line-${line.switchable ? line.state : 'meter'}`}
            >
              <span className="site-line-name">
                {line.n} {line.name}
                {line.critical && <span className="soft"> · {t(($) => $.site.critical)}</span>}
              </span>
              {line.switchable ? (
                <LineState state={line.state} stale={stale} />
              ) : (
                <span className="soft">{t(($) => $.site.meter)}</span>
              )}
              <span className="site-load">
                <Quantity value={line.power} unit="W" stale={values_stale} />{' '}
                <Quantity value={line.current} unit="A" stale={values_stale} />
                {share !== null && <meter min={0} max={1} high={0.8} value={share} aria-hidden="true" />}
              </span>
              {old && (
                <span className="soft">
                  <LastSeen at={oldest} />
                </span>
              )}
              {line.worst > 0 && <AlarmLevel level={line.worst} compact />}
            </li>
          );
        })}
      </ul>
    </article>
  );
};
