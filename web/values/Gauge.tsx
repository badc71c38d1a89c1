import { useTranslation } from 'react-i18next';
import type { LineLimits } from '#contract/lines.ts';
import { AlarmLevel } from './AlarmLevel.tsx';
import { gaugeOf } from './gauge-model.ts';
import { Quantity } from './Quantity.tsx';
import './gauge.css';

/** The bar alone, if a text gives the same information. */
export const GaugeBar = ({
  value,
  limits,
  rating = null,
  stale,
}: {
  value: number;
  limits: LineLimits | undefined;
  rating?: number | null;
  stale: boolean;
}) => {
  const { standing, from, to, marks } = gaugeOf(value, limits, rating);
  return (
    <span className={`gauge is-${standing}${stale ? ' is-stale' : ''}`} aria-hidden="true">
      <span className="gauge-fill" style={{ left: `${100 * from}%`, width: `${100 * (to - from)}%` }} />
      {marks.map(({ at, level }) => (
        <span key={`${level}-${at}`} className={`gauge-mark is-${level}`} style={{ left: `${100 * at}%` }} />
      ))}
    </span>
  );
};

/** A value with its limits as a bar; beyond a limit, with the limit, its symbol and its word. */
export const Gauge = ({
  value,
  limits,
  rating = null,
  unit,
  stale,
}: {
  value: number | null | undefined;
  limits: LineLimits | undefined;
  /** The line's rating, in the same unit. */
  rating?: number | null;
  unit: string;
  stale: boolean;
}) => {
  const { t } = useTranslation('common');
  if (value === null || value === undefined) return null;
  const { standing, low, limit, marks } = gaugeOf(value, limits, rating);
  if (marks.length === 0 && rating === null) return null;
  return (
    <>
      <GaugeBar value={value} limits={limits} rating={rating} stale={stale} />
      {standing !== 'normal' && limit !== null && (
        <span className="gauge-note">
          <AlarmLevel level={standing === 'alarm' ? 2 : 1} compact />{' '}
          {t(($) => (low ? $.gauge.below : $.gauge.above))} <Quantity value={limit} unit={unit} />
        </span>
      )}
    </>
  );
};
