import { useTranslation } from 'react-i18next';
import { SettingValue } from './SettingValue.tsx';
import { type Change, editKey } from './setting-edits.ts';

/** The changes, before and after. */
export const ChangeList = ({ changes }: { changes: readonly Change[] }) => {
  const { t } = useTranslation('deviceSettings');
  return (
    <ul className="plain-list setting-changes">
      {changes.map(({ setting, before, after }) => (
        <li key={editKey(setting)}>
          <span>
            {setting.n > 0 && <span className="soft">{t(($) => $.line, { n: setting.n })} · </span>}
            {setting.name}
            {setting.role === 'trip' && <span className="soft"> · {setting.meaning}</span>}
          </span>
          <span className="nowrap">
            <SettingValue setting={setting} value={before} /> →{' '}
            <strong>
              <SettingValue setting={setting} value={after} />
            </strong>
          </span>
        </li>
      ))}
    </ul>
  );
};
