import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ParameterValue } from '#contract/parameters.ts';
import { NumberField } from '#web/parts/NumberField.tsx';
import { useClear } from '#web/parts/use-clear.tsx';
import { boundsOf } from './setting-edits.ts';
import type { Setting } from './settings.query.ts';

const curves = ['dt', 'iec_vi', 'iec_ei'] as const;

/**
 * The field of one parameter. An out-of-range value can be typed, and is marked; nothing is corrected
 * silently.
 */
export const SettingInput = ({
  setting,
  value,
  flaw,
  onChange,
}: {
  setting: Setting;
  value: ParameterValue | undefined;
  flaw: string | null;
  onChange: (value: ParameterValue | undefined) => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  const clear = useClear();
  const flawId = `flaw-${setting.n}-${setting.key}`;
  const marks = { 'aria-label': setting.name, ...(flaw ? { 'aria-describedby': flawId } : {}) };
  const nameOf = (choice: ParameterValue) => {
    const curve = curves.find((each) => each === choice);
    return curve ? t(($) => $.curve[curve]) : choice === 0 && setting.zero_is_off ? t(($) => $.off) : choice;
  };
  return (
    <span className="setting-input">
      {setting.choices ? (
        <Select<ParameterValue>
          {...marks}
          status={flaw ? 'error' : ''}
          aria-invalid={flaw !== null}
          allowClear={clear}
          value={value ?? null}
          options={setting.choices.map((choice) => ({ value: choice, label: nameOf(choice) }))}
          onChange={(given: ParameterValue | null | undefined) => onChange(given ?? undefined)}
        />
      ) : (
        <NumberField
          {...marks}
          {...boundsOf(setting)}
          flawed={flaw !== null}
          step={setting.step}
          unit={setting.unit}
          value={typeof value === 'number' ? value : null}
          onChange={(given) => onChange(given ?? undefined)}
        />
      )}
      {flaw && (
        <span id={flawId} className="is-alarm">
          {flaw}
        </span>
      )}
    </span>
  );
};
