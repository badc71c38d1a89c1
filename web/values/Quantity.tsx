import { unitIn } from '#contract/unit-words.ts';
import { formatsIn } from '#web/i18n/format.ts';
import { useLanguage } from '#web/i18n/i18n.ts';

const digitsOf: Readonly<Record<string, number>> = {
  V: 1,
  A: 2,
  W: 0,
  kW: 1,
  mA: 0,
  '°C': 1,
  kWh: 1,
  '%': 1,
  Hz: 2,
  dBm: 0,
  var: 0,
};

/**
 * A number with its unit, tabular, dimmed when stale. Null means not measured and is shown as a dash, never
 * as 0.
 */
export const Quantity = ({
  value,
  unit,
  digits,
  stale = false,
}: {
  value: number | null | undefined;
  unit: string;
  digits?: number;
  stale?: boolean;
}) => {
  const language = useLanguage();
  if (value === null || value === undefined) return <span className="quantity soft">—</span>;
  const [shown, shownUnit] = unit === 'W' && Math.abs(value) >= 10_000 ? [value / 1000, 'kW'] : [value, unit];
  return (
    <span className={`quantity${stale ? ' is-stale' : ''}`}>
      {formatsIn(language).number(shown, digits ?? digitsOf[shownUnit] ?? 0)}
      {shownUnit !== '' && <span className="unit">{unitIn(shownUnit, language)}</span>}
    </span>
  );
};
