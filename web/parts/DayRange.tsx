import { Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { filled } from '#web/api/filled.ts';
import { DateField } from './DateField.tsx';
import { optionalOf, optionalText, type SetUrl } from './url-state.ts';

const dayRanges = ['week', 'month', 'quarter'] as const;
type DayRangeName = (typeof dayRanges)[number];
/** A range of whole days in the address: a preset, or a first and a last day. */
export const dayRangeShape = {
  range: optionalOf(dayRanges),
  first_day: optionalText,
  last_day: optionalText,
};
interface DayRangeValue {
  range?: DayRangeName | undefined;
  first_day?: string | undefined;
  last_day?: string | undefined;
}
const fallback: DayRangeName = 'month';
/** The fields of a call with such a range. */
export const dayRangeBody = ({ range, first_day, last_day }: DayRangeValue) =>
  first_day === undefined && last_day === undefined
    ? { range: range ?? fallback }
    : filled({ first_day, last_day });

/** Last week, last month, last three months, or from one day to another. `shown`: the days of the answer. */
export const DayRange = ({
  value,
  shown,
  onChange,
}: {
  value: DayRangeValue;
  shown: { first_day: string; last_day: string } | undefined;
  onChange: SetUrl;
}) => {
  const { t } = useTranslation('common');
  const own = value.first_day !== undefined || value.last_day !== undefined;
  const first = value.first_day ?? shown?.first_day;
  const last = value.last_day ?? shown?.last_day;
  const choose = (patch: DayRangeValue) =>
    onChange({ range: undefined, first_day: first, last_day: last, ...patch });
  return (
    <div className="day-range">
      <Segmented<DayRangeName | ''>
        aria-label={t(($) => $.dayRange.label)}
        value={own ? '' : (value.range ?? fallback)}
        onChange={(range) => range !== '' && onChange({ range, first_day: undefined, last_day: undefined })}
        options={dayRanges.map((range) => ({ value: range, label: t(($) => $.dayRange[range]) }))}
      />
      <DateField
        kind="date"
        aria-label={t(($) => $.dayRange.first)}
        value={first}
        onChange={(day) => choose({ first_day: day || undefined })}
      />
      <span className="day-range-last">
        <span aria-hidden>–</span>
        <DateField
          kind="date"
          aria-label={t(($) => $.dayRange.last)}
          value={last}
          onChange={(day) => choose({ last_day: day || undefined })}
        />
      </span>
    </div>
  );
};
