import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { DataState } from '#web/parts/DataState.tsx';
import { EnableSwitch } from './EnableSwitch.tsx';
import { SettingStand } from './SettingStand.tsx';
import { SettingsState } from './SettingsState.tsx';
import './settings.css';
import { type Enable, type Enables, enablesQuery, useLiveSettings } from './settings.query.ts';

/**
 * Functions of a device, on or off. The switch shows the reported state, with the desired value beside it.
 */
export const EnablesTab = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('deviceSettings');
  const query = useQuery(enablesQuery(deviceId));
  useLiveSettings(deviceId);
  return (
    <DataState query={query} rows={8}>
      {(shown) => (
        <section className="panel">
          <h2>{t(($) => $.enables)}</h2>
          <SettingsState about={shown} drifted={shown.enables.filter(({ drift }) => drift).length} />
          <ul className="plain-list">
            {shown.enables.map((enable) => (
              <EnableRow key={enable.key} enable={enable} shown={shown} />
            ))}
          </ul>
        </section>
      )}
    </DataState>
  );
};

const EnableRow = ({ enable, shown }: { enable: Enable; shown: Enables }) => {
  const { t } = useTranslation('deviceSettings');
  const { name, meaning, reported, desired } = enable;
  const word = (on: unknown) =>
    on === true ? t(($) => $.on) : on === false ? t(($) => $.offWord) : t(($) => $.notReported);

  return (
    <li className="enable-row">
      <span className="enable-name">
        <strong>{name}</strong>
        <span className="soft enable-meaning">{meaning}</span>
      </span>
      <span className={`enable-state${enable.drift ? ' is-drift' : ''}`}>{word(reported)}</span>
      <span className="enable-wish">
        {enable.state !== 'none' && (enable.state !== 'applied' || enable.drift) && (
          <SettingStand standing={enable}>{word(desired)}</SettingStand>
        )}
      </span>
      <span className="enable-switch">
        <EnableSwitch enable={enable} shown={shown} />
      </span>
    </li>
  );
};
