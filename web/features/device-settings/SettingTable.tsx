import { Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { ParameterValue } from '#contract/parameters.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { digitsOf } from '#web/parts/number-flaw.ts';
import { WhatIfLink } from '#web/parts/WhatIfLink.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { SettingInput } from './SettingInput.tsx';
import { SettingStand } from './SettingStand.tsx';
import { SettingValue } from './SettingValue.tsx';
import { type Edits, editKey, flawText } from './setting-edits.ts';
import type { Setting } from './settings.query.ts';

/** Parameters of the device or one line: reported value, desired value, and a field for a new one. */
export const SettingTable = ({
  settings,
  edits,
  flaws,
  lineId,
  onEdit,
}: {
  settings: readonly Setting[];
  edits: Edits;
  flaws: Readonly<Record<string, FaultCode>>;
  /** Absent: parameters of the whole device. */
  lineId?: number | undefined;
  /** Null where the reader may only look. */
  onEdit: ((setting: Setting, value: ParameterValue | undefined) => void) | null;
}) => {
  const { t } = useTranslation('deviceSettings');
  return (
    <table className="setting-table" aria-label={t(($) => $.parameters)}>
      <thead>
        <tr>
          {(['parameter', 'reported', 'desired'] as const).map((key) => (
            <th key={key} scope="col">
              {t(($) => $.column[key])}
            </th>
          ))}
          {onEdit && <th scope="col">{t(($) => $.column.edit)}</th>}
          <th scope="col">{t(($) => $.column.range)}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map((setting) => {
          const name = editKey(setting);
          const flaw = flaws[name];
          return (
            <tr key={name} className={edits[name] === undefined ? undefined : 'is-edited'}>
              <th scope="row">
                <Tooltip title={setting.meaning}>
                  <span>{setting.name}</span>
                </Tooltip>{' '}
                <span className={`setting-role role-${setting.role}`}>
                  {t(($) => $.role[setting.role as 'trip'])}
                </span>
              </th>
              <td data-label={t(($) => $.column.reported)} className={setting.drift ? 'is-drift' : undefined}>
                <SettingValue setting={setting} value={setting.reported} />
              </td>
              <td data-label={t(($) => $.column.desired)}>
                <SettingStand standing={setting}>
                  <SettingValue setting={setting} value={setting.desired} />
                </SettingStand>
              </td>
              {onEdit && (
                <td data-label={t(($) => $.column.edit)}>
                  <SettingInput
                    setting={setting}
                    value={edits[name]}
                    flaw={flaw ? flawText(setting, edits[name], flaw, currentLanguage()) : null}
                    onChange={(value) => onEdit(setting, value)}
                  />
                </td>
              )}
              <td data-label={t(($) => $.column.range)} className="soft">
                <Range setting={setting} />{' '}
                {lineId !== undefined && <WhatIfLink place={{ line_id: lineId }} setting={setting.key} />}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

const Range = ({ setting }: { setting: Setting }) => {
  const { t } = useTranslation('deviceSettings');
  const formats = useFormats();
  const unitOf = useUnit();
  const digits = digitsOf(setting.step);
  return (
    <span className="setting-range">
      {setting.choices === null && (
        <span className="nowrap tabular setting-span">
          {formats.number(setting.min, digits)}–{formats.number(setting.max, digits)} {unitOf(setting.unit)}
          {setting.zero_is_off && `, ${t(($) => $.zeroIsOff)}`}{' '}
        </span>
      )}
      <span className="nowrap">
        {setting.choices === null && '· '}
        {t(($) => $.fallback)} <SettingValue setting={setting} value={setting.default} />
      </span>
    </span>
  );
};
