import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineLoad } from '#web/values/LineLoad.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { Quantity } from '#web/values/Quantity.tsx';
import type { Preview } from './one-key.query.ts';

/** The guard would ask for the line's name, which cannot be typed here. */
const critical = 'control.critical_line';

/** Each line of a preview: its state, what would be done, or why not. */
export const PreviewLines = ({ plan }: { plan: Preview }) => {
  const { t } = useTranslation('oneKey');
  const { colon } = useFormats();
  const ages = useAges();
  const lines = plan.lines.map((line) => ({ ...line, ...ages(line, line.interval_seconds) }));
  const isOld = lines.some(({ will, values_stale }) => will === 'switch' && values_stale);
  const devices = new Set(plan.lines.map(({ device_id }) => device_id)).size;
  return (
    <>
      <p className="one-key-sums">
        {plan.to_switch > 0 && <span>{t(($) => $.toSwitch, { count: plan.to_switch })}</span>}
        <span>{t(($) => $.skipped, { count: plan.skipped })}</span>
        {plan.to_switch > 0 && (
          <span>
            {t(($) => $.load)} <LineLoad load={plan} stale={isOld} />
          </span>
        )}
      </p>
      <ul className="one-key-lines" aria-label={t(($) => $.lines)}>
        {lines.map((line) => (
          <li key={line.line_id} className={line.will === 'skip' ? 'is-skipped' : undefined}>
            <span className="one-key-name">
              {devices > 1 && <span className="soft tabular">{line.device_number} · </span>}
              {line.n} · {line.name}
            </span>
            <span>
              <LineState state={line.state} stale={line.stale} />
              {line.stale && (
                <span className="soft">
                  {' '}
                  <LastSeen at={line.observed_at} />
                </span>
              )}
            </span>
            <span className="one-key-load">
              <Quantity value={line.power} unit="W" stale={line.values_stale} />
            </span>
            <span className="one-key-will">
              {line.will === 'switch' ? (
                <strong>{t(($) => $[plan.action].will)}</strong>
              ) : (
                <>
                  {t(($) => $.skip)}
                  {colon}
                  <span className="soft">
                    {line.reason === critical ? t(($) => $.skipCritical) : (line.message ?? line.reason)}
                  </span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};
