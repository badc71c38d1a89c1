import { alarmUnit } from '#contract/alarm-units.ts';
import { Quantity } from './Quantity.tsx';

interface Valued {
  typeNumber: number;
  value_type: number;
  unit?: string | null;
  value: number | null;
  threshold: number | null;
  peak?: number | null;
}
const kilowattsFrom = 10_000;

/**
 * Value, threshold and peak of an alarm have the same scale: '9.5 kW / 12.0 kW', never watts beside
 * kilowatts.
 */
const scaleOf = (alarm: Valued) => {
  const { unit, decimals } = alarmUnit(alarm);
  const largest = Math.max(...[alarm.value, alarm.threshold, alarm.peak].map((each) => Math.abs(each ?? 0)));
  return unit === 'W' && largest >= kilowattsFrom
    ? { unit: 'kW', digits: 1, divisor: 1000 }
    : { unit, digits: decimals, divisor: 1 };
};

/** The value of an alarm, its threshold or its peak, in the unit and with the precision of its type. */
export const AlarmQuantity = ({ alarm, of }: { alarm: Valued; of: 'value' | 'threshold' | 'peak' }) => {
  const { unit, digits, divisor } = scaleOf(alarm);
  const number = alarm[of] ?? null;
  return <Quantity value={number === null ? null : number / divisor} unit={unit} digits={digits} />;
};
