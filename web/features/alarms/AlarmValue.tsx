import { useTranslation } from 'react-i18next';
import { alarmTypeOf, valueTypes } from '#contract/alarm-catalogue.ts';
import type { AlarmRow } from '#contract/alarms.ts';
import { AlarmQuantity } from '#web/values/AlarmQuantity.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';

/** The value and its threshold. A state has none; for a trip the tripping protection is named. */
export const AlarmValue = ({
  row,
}: {
  row: Pick<AlarmRow, 'value' | 'threshold' | 'value_type' | 'typeNumber'> & { unit?: string };
}) => {
  const { t } = useTranslation('alarms');
  const isState = row.value_type === valueTypes.state;
  if (row.value !== null && isState && alarmTypeOf(row.value)) return <AlarmTypeName code={row.value} />;
  if (row.value === null || isState) return <span className="soft">—</span>;
  return (
    <span className="nowrap">
      <AlarmQuantity alarm={row} of="value" />
      {row.threshold !== null && (
        <span className="soft" title={t(($) => $.column.threshold)}>
          {' / '}
          <AlarmQuantity alarm={row} of="threshold" />
        </span>
      )}
    </span>
  );
};
