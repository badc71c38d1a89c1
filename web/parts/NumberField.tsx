import Input from 'antd/es/input/Input.js';
import { type KeyboardEvent, useState } from 'react';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { readNumber, writeNumber } from '#web/i18n/number.ts';
import { useUnit } from '#web/values/use-unit.ts';
import type { Bounds } from './number-flaw.ts';

interface Props extends Bounds {
  id?: string;
  className?: string;
  /** The server's name of the unit: '' for a plain number. */
  unit: string;
  /** Step of the arrow keys. */
  step?: number;
  /** NaN: the field's text is not a number. */
  value?: number | null | undefined;
  onChange?: (value: number | null) => void;
  /** Called when the field lost focus, or Enter was pressed. */
  onDone?: () => void;
  readOnly?: boolean;
  autoFocus?: boolean;
  placeholder?: string;
  flawed?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string | undefined;
}

/**
 * The only field for numbers. It reads both decimal signs and passes on exactly what was typed: it never
 * rounds a value or moves it to a bound. `numberFlaw` gives the error.
 */
export const NumberField = ({
  unit,
  min,
  max,
  digits,
  zeroIsOff,
  step = 1,
  value = null,
  onChange,
  onDone,
  flawed = false,
  ...rest
}: Props) => {
  const unitOf = useUnit();
  const language = currentLanguage();
  const [typed, setTyped] = useState<string | null>(null);
  const shown =
    typed !== null && Object.is(readNumber(typed, language), value) ? typed : writeNumber(value, language);

  const take = (text: string) => {
    setTyped(text);
    onChange?.(readNumber(text, language));
  };
  const stepBy = (event: KeyboardEvent, steps: number) => {
    event.preventDefault();
    if (rest.readOnly || Number.isNaN(value)) return;
    const least = zeroIsOff ? Math.min(0, min) : min;
    const moved = value === null ? least : Number((value + steps * step).toFixed(digits));
    if (moved >= least && moved <= max) take(writeNumber(moved, language));
  };
  return (
    <Input
      {...rest}
      role="spinbutton"
      autoComplete="off"
      // The number pad of a phone has no minus.
      {...(min < 0 ? {} : { inputMode: digits > 0 ? 'decimal' : 'numeric' })}
      {...(Number.isFinite(value ?? Number.NaN) ? { 'aria-valuenow': value! } : {})}
      aria-valuetext={shown}
      aria-valuemin={min}
      aria-valuemax={max}
      {...(flawed ? { status: 'error' as const, 'aria-invalid': true } : {})}
      suffix={unitOf(unit)}
      value={shown}
      onChange={(event) => take(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowUp') stepBy(event, 1);
        if (event.key === 'ArrowDown') stepBy(event, -1);
      }}
      onPressEnter={() => onDone?.()}
      onBlur={() => {
        if (!Number.isNaN(value)) setTyped(null);
        onDone?.();
      }}
    />
  );
};
