import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { digitsOf } from '#web/parts/number-flaw.ts';
import { Quantity } from '#web/values/Quantity.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import type { Setting } from './settings.query.ts';

const curves = ['dt', 'iec_vi', 'iec_ei'] as const;

/** A parameter value with its unit; with a reference rating, its share of that too. */
export const SettingValue = ({
  setting: { unit, step, zero_is_off, percent_of },
  value,
}: {
  setting: Pick<Setting, 'unit' | 'step' | 'zero_is_off' | 'percent_of'>;
  value: unknown;
}) => {
  const { t } = useTranslation('deviceSettings');
  const formats = useFormats();
  const unitOf = useUnit();
  if (value === null || value === undefined) return <span className="soft">—</span>;
  if (typeof value !== 'number') {
    const curve = curves.find((each) => each === value);
    return <span>{curve ? t(($) => $.curve[curve]) : String(value)}</span>;
  }
  if (value === 0 && zero_is_off) return <span>{t(($) => $.off)}</span>;
  return (
    <span className="nowrap">
      {/* A parameter is shown as it is set, never scaled. */}
      {unit === 'W' ? (
        <span className="quantity">
          {formats.number(value)}
          <span className="unit">{unitOf(unit)}</span>
        </span>
      ) : (
        <Quantity value={value} unit={unit} digits={digitsOf(step)} />
      )}
      {percent_of !== null && <span className="soft"> ({formats.percent(value / percent_of)})</span>}
    </span>
  );
};
