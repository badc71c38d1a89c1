import { App, Button, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import { refusalOf } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { checkJson } from './custom-json.ts';
import { JsonDiff } from './JsonDiff.tsx';
import { SettingStand } from './SettingStand.tsx';
import { SettingsState } from './SettingsState.tsx';
import { type Settings, useSettingsChanged } from './settings.query.ts';

const written = (value: unknown) => JSON.stringify(value ?? {}, null, 2);
type Preview = ReplyOf<typeof deviceSettingEndpoints.custom>;

/** The device's own JSON object: validated while it is typed, shown as a difference, and only then sent. */
export const CustomEditor = ({ settings, number }: { settings: Settings; number: string }) => {
  const { t } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const may = useCan('device.configure');
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const { custom, device_id } = settings;
  const standing = written(custom.state === 'pending' ? custom.desired : (custom.reported ?? custom.desired));
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? standing;
  useUnsaved(() => text !== standing);
  const [preview, setPreview] = useState<{ of: string; found: Preview } | null>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const checked = checkJson(text);
  const flaw =
    checked.kind === 'broken'
      ? t(($) => $.custom.broken, { line: checked.line, column: checked.column })
      : checked.kind === 'notObject'
        ? sentence('setting.notObject', currentLanguage())
        : refused;
  const found = preview?.of === text ? preview.found : null;

  const run = async (act: () => Promise<void>) => {
    setBusy(true);
    setRefused(null);
    const refusal = await refusalOf(act).finally(() => setBusy(false));
    if (!refusal) return;
    setRefused(refusal.fields['custom'] ?? refusal.message);
    setPreview(null);
    await changed();
  };
  const look = () =>
    run(async () => {
      const body = { device_id, revision: settings.revision, custom: text, preview: true };
      setPreview({ of: text, found: await call(deviceSettingEndpoints.custom, body) });
    });
  const send = () =>
    run(async () => {
      const sent = await prove(deviceSettingEndpoints.custom, {
        device_id,
        revision: found?.revision ?? settings.revision,
        custom: text,
      });
      if (!sent) return;
      void message.info(t(($) => (settings.waits === null ? $.send.sent : $.send.staged)));
      setPreview(null);
      setEdited(null);
      await changed();
    });
  return (
    <section className="panel">
      <h2>{t(($) => $.custom.title)}</h2>
      <SettingsState about={settings} drifted={custom.drift ? 1 : 0} />
      <p>{t(($) => $.custom.text)}</p>
      {custom.state !== 'none' && (
        <p>
          <SettingStand standing={custom}>{t(($) => $.custom.wish)}</SettingStand>
        </p>
      )}
      <Input.TextArea
        className="custom-editor"
        aria-label={t(($) => $.custom.title)}
        spellCheck={false}
        autoSize={{ minRows: 8, maxRows: 24 }}
        readOnly={!may}
        status={flaw ? 'error' : ''}
        value={text}
        onChange={(event) => setEdited(event.target.value)}
      />
      <p role="alert" className="is-alarm custom-flaw">
        {flaw}
      </p>
      {may && (
        <div className="setting-tools">
          <Button disabled={text === standing} onClick={() => setEdited(null)}>
            {t(($) => $.custom.restore)}
          </Button>
          <Button
            disabled={checked.kind !== 'object'}
            onClick={() => checked.kind === 'object' && setEdited(written(checked.value))}
          >
            {t(($) => $.custom.tidy)}
          </Button>
          <Button loading={busy} disabled={checked.kind !== 'object'} onClick={() => void look()}>
            {t(($) => $.custom.check)}
          </Button>
          <Button
            type="primary"
            loading={busy}
            disabled={found === null || found.diff.length === 0}
            onClick={() => void send()}
          >
            {t(($) => $.custom.send, { number })}
          </Button>
        </div>
      )}
      {found && <JsonDiff diff={found.diff} />}
    </section>
  );
};
