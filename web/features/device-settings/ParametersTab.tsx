import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Segmented } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import type { ParameterValue } from '#contract/parameters.ts';
import { useCan } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { ApplyDialog } from './ApplyDialog.tsx';
import { DefaultsButton } from './DefaultsButton.tsx';
import { ProtectionMatrix } from './ProtectionMatrix.tsx';
import { SendDialog } from './SendDialog.tsx';
import { SettingsState } from './SettingsState.tsx';
import { SettingTable } from './SettingTable.tsx';
import { allSettings, changedMeanwhile, changesOf, type Edits, editKey, flawsOf } from './setting-edits.ts';
import './settings.css';
import {
  type Setting,
  type Settings,
  type SettingsDevice,
  settingsQuery,
  useLiveSettings,
} from './settings.query.ts';

const search = z.object({ place: optionalNumber });
/** Every parameter of a device with its range, desired and reported value; typed values are sent together. */
export const ParametersTab = ({ device }: { device: SettingsDevice }) => {
  const query = useQuery(settingsQuery(device.device_id));
  useLiveSettings(device.device_id);
  return (
    <DataState query={query} rows={12}>
      {(settings) => <Parameters device={device} settings={settings} />}
    </DataState>
  );
};

type Act = 'send' | 'apply';

/** Settings that another user changed while the reader edits them. */
const ChangedMeanwhile = ({
  others,
  settings,
  onReload,
}: {
  others: readonly Setting[];
  settings: Settings;
  onReload: () => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  return (
    <Alert
      type="warning"
      showIcon
      className="setting-notice"
      title={t(($) => $.conflict.title)}
      description={
        <>
          <ul className="plain-list">
            {others.map((setting) => (
              <li key={editKey(setting)}>
                <span>{setting.name}</span>
                <span>
                  {setting.operator} · <LastSeen at={setting.wished_at ?? settings.reported_at} />
                </span>
              </li>
            ))}
          </ul>
          <Button size="small" onClick={onReload}>
            {t(($) => $.conflict.reload)}
          </Button>
        </>
      }
    />
  );
};

const ChangesBar = ({
  changes,
  flaws,
  onDiscard,
  onAct,
}: {
  changes: number;
  flaws: number;
  onDiscard: () => void;
  onAct: (act: Act) => void;
}) => {
  const { t } = useTranslation('deviceSettings');
  const isSound = changes > 0 && flaws === 0;
  return (
    <div className="setting-bar" role="status">
      <strong>{t(($) => $.changes, { count: changes })}</strong>
      {flaws > 0 && <span className="is-alarm">{t(($) => $.flawed, { count: flaws })}</span>}
      <span className="page-header-gap" />
      <Button onClick={onDiscard}>{t(($) => $.discard)}</Button>
      <Button disabled={!isSound} onClick={() => onAct('apply')}>
        {t(($) => $.apply.act)}
      </Button>
      <Button type="primary" disabled={!isSound} onClick={() => onAct('send')}>
        {t(($) => $.send.act)}
      </Button>
    </div>
  );
};

export const Parameters = ({ device, settings }: { device: SettingsDevice; settings: Settings }) => {
  const { t } = useTranslation('deviceSettings');
  const [{ place }, setSearch] = useUrlState(search);
  const may = useCan('device.configure');
  const [edits, setEdits] = useState<Edits>({});
  const [asking, setAsking] = useState<Act | null>(null);
  /** The settings on which the first edit is based. */
  const seen = useRef<Settings>(settings);
  const isDirty = Object.keys(edits).length > 0;
  useEffect(() => {
    if (!isDirty) seen.current = settings;
  }, [isDirty, settings]);
  useUnsaved(() => isDirty);

  const edit = (setting: Setting, value: ParameterValue | undefined) =>
    setEdits((before) => {
      const { [editKey(setting)]: _, ...rest } = before;
      return value === undefined ? rest : { ...rest, [editKey(setting)]: value };
    });
  const n = place ?? settings.lines[0]?.n ?? 0;
  const shown = n === 0 ? settings.device : (settings.lines.find((line) => line.n === n)?.settings ?? []);
  const flaws = flawsOf(settings, edits);
  const changes = changesOf(settings, edits);
  const others = changedMeanwhile(seen.current, settings, edits);
  return (
    <section className="panel">
      <h2>{t(($) => $.parameters)}</h2>
      <SettingsState about={settings} drifted={allSettings(settings).filter(({ drift }) => drift).length} />
      {others.length > 0 && (
        <ChangedMeanwhile others={others} settings={settings} onReload={() => setEdits({})} />
      )}
      <div className="setting-tools">
        <Segmented<number>
          aria-label={t(($) => $.place)}
          value={n}
          onChange={(value) => setSearch({ place: value })}
          options={[
            ...settings.lines.map((line) => ({
              value: line.n,
              label: line.name === '' ? t(($) => $.line, { n: line.n }) : `${line.n} · ${line.name}`,
            })),
            { value: 0, label: t(($) => $.wholeDevice) },
          ]}
        />
        {may && <DefaultsButton device={device} settings={settings} />}
      </div>
      <SettingTable
        settings={shown}
        edits={edits}
        flaws={flaws}
        lineId={settings.lines.find((line) => line.n === n)?.line_id}
        onEdit={may ? edit : null}
      />
      {isDirty && (
        <ChangesBar
          changes={changes.length}
          flaws={Object.keys(flaws).length}
          onDiscard={() => setEdits({})}
          onAct={setAsking}
        />
      )}
      {settings.lines.length > 0 && (
        <ProtectionMatrix
          settings={settings}
          editing={may ? { edits, flaws, onEdit: edit } : null}
          onPick={(line) => setSearch({ place: line })}
        />
      )}
      {asking === 'send' && (
        <SendDialog
          device={device}
          settings={settings}
          revision={others.length > 0 ? seen.current.revision : settings.revision}
          changes={changes}
          onSent={() => setEdits({})}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'apply' && (
        <ApplyDialog
          device={device}
          changes={changes}
          onStarted={(jobId) => {
            setEdits({});
            setAsking(null);
            setSearch({ job: jobId }, { push: true });
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
};
