import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import './calendar-words.ts';
import { useThumb } from '#web/theme/use-room.ts';
import type { FilterField, FilterValues } from './filter-types.ts';
import type { SetUrl } from './url-state.ts';

/** From and to, whole days; a separate part because the calendar is large and most lists have none. */
export const RangeFilter = ({
  field: { from, to, label, presets = [] },
  values,
  onChange,
}: {
  field: FilterField & { kind: 'range' };
  values: FilterValues;
  onChange: SetUrl;
}) => {
  const byThumb = useThumb();
  const dayOf = (name: string) => (values[name] === undefined ? null : dayjs(String(values[name])));
  return (
    <DatePicker.RangePicker
      className="filter-range"
      // Opens the calendar without the keyboard on top of it.
      inputReadOnly={byThumb}
      aria-label={label.join(' – ')}
      placeholder={label}
      value={[dayOf(from), dayOf(to)]}
      allowEmpty={[true, true]}
      presets={presets.map(({ label: name, days }) => ({
        label: name,
        value: [dayjs().subtract(days, 'day').startOf('day'), dayjs().endOf('day')],
      }))}
      onChange={(range) =>
        onChange({
          [from]: range?.[0]?.startOf('day').toISOString(),
          [to]: range?.[1]?.endOf('day').toISOString(),
        })
      }
    />
  );
};
