import { UploadOutlined } from '@ant-design/icons';
import { Button, Drawer, Form, Input, Select } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import { refusalOf } from '#web/api/attempt.ts';
import { upload } from '#web/api/upload.ts';
import { ProjectPicker } from '#web/parts/ProjectPicker.tsx';
import { useClear } from '#web/parts/use-clear.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import './devices.css';
import { useReloadDevices } from './devices.query.ts';
import { type Imported, ImportResult } from './ImportResult.tsx';

interface Given {
  text: string;
  file: File | null;
  project_id?: number | undefined;
  type?: number | undefined;
}

/**
 * Adds many devices from pasted rows or a spreadsheet: first validated row by row, then added; each secret is
 * shown only in the result.
 */
export const ImportDevices = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation('devices');
  useFocusBack();
  const { t: tc } = useTranslation('common');
  const reload = useReloadDevices();
  const confirm = useConfirm();
  const clear = useClear();
  const picker = useRef<HTMLInputElement>(null);
  const [given, setGiven] = useState<Given>({ text: '', file: null });
  const [result, setResult] = useState<Imported | null>(null);
  const [flaw, setFlaw] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const change = (patch: Partial<Given>) => {
    setGiven((before) => ({ ...before, ...patch }));
    setResult(null);
    setFlaw(null);
  };
  const hasRows = given.file !== null || given.text.trim() !== '';
  const ready = result?.preview ? result.results.filter((row) => row.result === 'done').length : 0;
  const keepsSecrets = result !== null && !result.preview && result.added > 0;

  const send = async (preview: boolean) => {
    setBusy(true);
    setFlaw(null);
    const refusal = await refusalOf(async () => {
      const { file, text, project_id, type } = given;
      setResult(
        await upload(
          deviceEndpoints.import,
          { ...(file ? { file } : { text }), project_id, type, preview },
          { quiet: true },
        ),
      );
      if (!preview) await reload();
    }).finally(() => setBusy(false));
    if (refusal) setFlaw(Object.values(refusal.fields)[0] ?? refusal.message);
  };
  const close = async () => {
    const leaves =
      !keepsSecrets ||
      (await confirm({
        title: t(($) => $.import.leave),
        content: t(($) => $.import.leaveText),
        okText: tc(($) => $.dialog.leave),
        danger: true,
      }));
    if (leaves) onClose();
  };
  return (
    <Drawer
      open
      size={720}
      title={t(($) => $.import.title)}
      onClose={() => void close()}
      footer={
        <div className="drawer-foot">
          <Button onClick={() => void close()}>{tc(($) => $.dialog.close)}</Button>
          {!keepsSecrets && (
            <>
              <Button loading={busy} disabled={!hasRows} onClick={() => void send(true)}>
                {t(($) => $.import.check)}
              </Button>
              <Button type="primary" loading={busy} disabled={ready === 0} onClick={() => void send(false)}>
                {t(($) => $.import.add, { count: ready })}
              </Button>
            </>
          )}
        </div>
      }
    >
      {!keepsSecrets && (
        <Form layout="vertical">
          <p>{t(($) => $.import.how)}</p>
          <Form.Item label={t(($) => $.import.rows)} htmlFor="import-rows">
            <Input.TextArea
              id="import-rows"
              className="import-rows"
              spellCheck={false}
              autoSize={{ minRows: 6, maxRows: 14 }}
              placeholder={t(($) => $.import.example)}
              disabled={given.file !== null}
              value={given.text}
              onChange={(event) => change({ text: event.target.value })}
            />
          </Form.Item>
          <div className="import-tools">
            <input
              ref={picker}
              className="file-picker"
              type="file"
              accept=".xlsx"
              aria-label={t(($) => $.import.file)}
              onChange={(event) => {
                change({ file: event.target.files?.[0] ?? null });
                event.target.value = '';
              }}
            />
            <Button icon={<UploadOutlined aria-hidden />} onClick={() => picker.current?.click()}>
              {given.file?.name ?? t(($) => $.import.file)}
            </Button>
            {given.file && (
              <Button onClick={() => change({ file: null })}>{t(($) => $.import.noFile)}</Button>
            )}
            <Select
              allowClear={clear}
              aria-label={t(($) => $.import.type)}
              placeholder={t(($) => $.import.type)}
              value={given.type ?? null}
              options={deviceTypes.map((value) => ({ value, label: tc(($) => $.deviceTypes[`${value}`]) }))}
              onChange={(type: number | null | undefined) => change({ type: type ?? undefined })}
            />
            <ProjectPicker
              label={t(($) => $.import.project)}
              placeholder={t(($) => $.import.project)}
              value={given.project_id}
              onChange={(id) => change({ project_id: id ?? undefined })}
            />
          </div>
        </Form>
      )}
      {flaw && (
        <p role="alert" className="is-alarm">
          {flaw}
        </p>
      )}
      {result && <ImportResult result={result} />}
    </Drawer>
  );
};
