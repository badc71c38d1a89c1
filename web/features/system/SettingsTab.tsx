import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SettingName, settingGroups, settingsEndpoints } from '#contract/settings.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { ElsewhereSettings } from './ElsewhereSettings.tsx';
import { useSettingWords } from './use-setting-words.ts';

const SettingEditor = lateDialog(async () => (await import('./SettingEditor.tsx')).SettingEditor);

/** The settings of the installation by group, each with its meaning, value and last change. */
export const SettingsTab = () => {
  const { t } = useTranslation('system');
  useDialogsAhead(SettingEditor);
  const words = useSettingWords();
  const [edited, setEdited] = useState<SettingName | null>(null);
  const query = useQuery(endpointQuery(settingsEndpoints.list, {}));
  const row = query.data?.list.find(({ name }) => name === edited);
  return (
    <DataState query={query} rows={10}>
      {({ list }) => (
        <>
          {settingGroups.map((group) => (
            <section key={group} className="system-card">
              <h2>{t(($) => $.settings.group[group])}</h2>
              <ul className="system-settings">
                {list
                  .filter(({ name }) => name.startsWith(`${group}.`))
                  .map((setting) => (
                    <li key={setting.name}>
                      <div>
                        <strong>{words.name(setting.name)}</strong>
                        <p className="soft">{words.meaning(setting.name)}</p>
                        {setting.variable !== null && (
                          <p>{t(($) => $.settings.byVariable, { variable: setting.variable })}</p>
                        )}
                        {setting.changed_at !== null && (
                          <p className="soft">
                            {t(($) => $.settings.changed, { name: setting.changed_by ?? '' })}{' '}
                            <TimeText at={setting.changed_at} />
                          </p>
                        )}
                      </div>
                      <span className="system-value tabular">{words.value(setting, setting.value)}</span>
                      <Button
                        disabled={setting.variable !== null}
                        onClick={() => setEdited(setting.name)}
                        aria-label={t(($) => $.settings.changeNamed, { name: words.name(setting.name) })}
                      >
                        {t(($) => $.settings.change)}
                      </Button>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
          <ElsewhereSettings />
          {row && <SettingEditor key={row.name} row={row} onClose={() => setEdited(null)} />}
        </>
      )}
    </DataState>
  );
};
