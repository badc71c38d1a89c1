import type { Language } from '#contract/languages.ts';
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

/** The number as it is written, and its unit: kW from 10 kW. */
const written = (value: number, unit: string, language: Language, digits?: number) => {
  const [shown, ofShown] = unit === 'W' && Math.abs(value) >= 10_000 ? [value / 1000, 'kW'] : [value, unit];
  return {
    number: formatsIn(language).number(shown, digits ?? digitsOf[ofShown] ?? 0),
    unit: unitIn(ofShown, language),
  };
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
  const shown = written(value, unit, language, digits);
  return (
    <span className={`quantity${stale ? ' is-stale' : ''}`}>
      {shown.number}
      {shown.unit !== '' && <span className="unit">{shown.unit}</span>}
    </span>
  );
};

/** The lowest and the highest value; one value where both are written alike. */
export const QuantityRange = ({ values, unit }: { values: readonly number[]; unit: string }) => {
  const language = useLanguage();
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [low, high] = [written(least, unit, language), written(most, unit, language)];
  return (
    <>
      <Quantity value={least} unit={unit} />
      {(low.number !== high.number || low.unit !== high.unit) && (
        <>
          {' – '}
          <Quantity value={most} unit={unit} />
        </>
      )}
    </>
  );
};
