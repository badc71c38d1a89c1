import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import type { LineLimits } from '#contract/lines.ts';
import { AlarmLevel } from './AlarmLevel.tsx';
import { gaugeOf } from './gauge-model.ts';
import { Quantity } from './Quantity.tsx';
import './gauge.css';

/** Only the bar, if a text gives the same information: a single element, since tables have one in each row. */
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
    <span
      className={`gauge is-${standing}${stale ? ' is-stale' : ''}`}
      aria-hidden="true"
      style={
        {
          '--share': percent(to - from),
          // As a share of the space that the filled part leaves free.
          '--from': percent(to - from < 1 ? from / (1 - to + from) : 0),
          '--marks': marks
            .map(
              ({ at, level }) =>
                `linear-gradient(var(--mark-${level}) 0 0) ${percent(at)} / var(--mark-${level}-width) 100% no-repeat`,
            )
            .join(),
        } as CSSProperties
      }
    />
  );
};
const percent = (share: number) => `${100 * share}%`;

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
