import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { Quantity } from '../../values/Quantity.tsx';
import { unitOf } from '../../values/value-unit.ts';

/** The value against its threshold. */
export const AlarmValue = ({ row }: { row: Pick<AlarmRow, 'value' | 'threshold' | 'value_type'> }) => {
  const { t } = useTranslation('alarms');
  const unit = unitOf(row.value_type);
  if (row.value === null) return <span className="soft">—</span>;
  return (
    <span className="nowrap">
      <Quantity value={row.value} unit={unit} />
      {row.threshold !== null && (
        <span className="soft" title={t(($) => $.column.threshold)}>
          {' / '}
          <Quantity value={row.threshold} unit={unit} />
        </span>
      )}
    </span>
  );
};
