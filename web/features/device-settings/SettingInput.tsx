import { InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ParameterValue } from '#contract/parameters.ts';
import { useClear } from '../../parts/use-clear.tsx';
import { useUnit } from '../../values/use-unit.ts';
import type { Setting } from './settings.query.ts';

const curves = ['dt', 'iec_vi', 'iec_ei'] as const;

/** The field of one parameter. What is out of range can be typed, and is marked; nothing is corrected silently. */
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
  const unitOf = useUnit();
  const clear = useClear();
  const flawId = `flaw-${setting.n}-${setting.key}`;
  const marks = {
    status: flaw ? ('error' as const) : ('' as const),
    'aria-label': setting.name,
    'aria-invalid': flaw !== null,
    ...(flaw ? { 'aria-describedby': flawId } : {}),
  };
  const nameOf = (choice: ParameterValue) => {
    const curve = curves.find((each) => each === choice);
    return curve ? t(($) => $.curve[curve]) : choice === 0 && setting.zero_is_off ? t(($) => $.off) : choice;
  };
  return (
    <span className="setting-input">
      {setting.choices ? (
        <Select<ParameterValue>
          {...marks}
          allowClear={clear}
          value={value ?? null}
          options={setting.choices.map((choice) => ({ value: choice, label: nameOf(choice) }))}
          onChange={(given: ParameterValue | null | undefined) => onChange(given ?? undefined)}
        />
      ) : (
        <InputNumber<number>
          {...marks}
          step={setting.step}
          suffix={unitOf(setting.unit)}
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
