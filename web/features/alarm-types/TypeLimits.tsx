import { useTranslation } from 'react-i18next';
import { alarmTypeOf, type Base, type Limit } from '#contract/alarm-catalogue.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useUnit } from '#web/values/use-unit.ts';

const symbols: Readonly<Record<Exclude<Base, 'one'>, string>> = {
  un: 'Uₙ',
  in: 'Iₙ',
  pn: 'Pₙ',
  set: 'IΔₙ',
  quota: 'W',
};

/** At which values a type warns and alarms, if the device has no own values. */
export const TypeLimits = ({ typeNumber, unit }: { typeNumber: number; unit: string }) => {
  const { t } = useTranslation('alarmTypes');
  const formats = useFormats();
  const unitOf = useUnit();
  const type = alarmTypeOf(typeNumber);
  const text = (limit: Limit) =>
    limit.of === 'one'
      ? `${formats.number(limit.factor, 2)}\u00a0${unitOf(unit)}`.trim()
      : `${formats.number(limit.factor * 100, 1)} % ${symbols[limit.of]}`;
  if (!type || (type.warn === null && type.alarm === null))
    return <span className="soft">{t(($) => $.yesNo)}</span>;
  const sign = type.side === 'above' ? (type.inclusive ? '≥' : '>') : type.inclusive ? '≤' : '<';
  return (
    <span className="type-limits">
      {type.warn && (
        <span>
          <span className="soft">{t(($) => $.warn)}</span> {sign} {text(type.warn)}
        </span>
      )}
      {type.alarm && (
        <span>
          <span className="soft">{t(($) => $.alarm)}</span> {sign} {text(type.alarm)}
        </span>
      )}
    </span>
  );
};
