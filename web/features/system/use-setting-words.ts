import { useTranslation } from 'react-i18next';
import type { SettingName, SettingRow } from '#contract/settings.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useUnit } from '#web/values/use-unit.ts';

/** Unit of a setting as the shared units name it. */
export const unitNames = { s: 's', min: 'min', day: 'd' } as const;

/** Name, meaning and values of settings in the reader's language. */
export const useSettingWords = () => {
  const { t } = useTranslation('system');
  const formats = useFormats();
  const unit = useUnit();
  const key = (name: SettingName) => name.replace('.', '_') as 'control_evidenceS';
  const choice = (value: string) => t(($) => $.settings.choice[value as 'classic']);
  return {
    name: (name: SettingName): string => t(($) => $.settings.words[key(name)].name),
    meaning: (name: SettingName): string => t(($) => $.settings.words[key(name)].meaning),
    choice,
    value(row: SettingRow, value: SettingRow['value']): string {
      if (typeof value === 'boolean') return t(($) => (value ? $.settings.on : $.settings.off));
      if (row.kind === 'text') return String(value) || t(($) => $.settings.none);
      if (typeof value === 'string') return choice(value);
      return `${formats.number(value)}\u00a0${row.unit ? unit(unitNames[row.unit]) : ''}`.trim();
    },
  };
};
