import { App, Form, type FormRule, Input, Select, Switch, Upload } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sentence } from '#contract/faults/codes.ts';
import { type FirmwareVersion, firmwareEndpoints } from '#contract/firmware.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { upload } from '#web/api/upload.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { DeviceTypeName } from '#web/values/DeviceTypeName.tsx';

interface Values {
  mac_type: number;
  mac_name: string;
  appVersion: string;
  platformVersion: string;
  /** Value of the file field; the file itself is stored separately. */
  file?: { fileList: readonly unknown[] };
  appUrl?: string;
  size?: string;
  sha256?: string;
  signature?: string;
  notes: string;
  enabled: boolean;
}
const types = [1, 2, 3, 4, 5, 6, 7] as const;
const rule = zodRule(firmwareEndpoints.add.body);
const fileOrLink: FormRule = ({ getFieldValue }) => ({
  validator: (_, chosen: Values['file']) =>
    (chosen?.fileList.length ?? 0) > 0 || getFieldValue('appUrl')
      ? Promise.resolve()
      : Promise.reject(new Error(sentence('firmware.file', currentLanguage()))),
});

/** Adds a version as a file or a link, or edits its editable fields. */
export const VersionForm = ({
  row,
  onClose,
}: {
  /** 'new' adds, null: nothing is open. */
  row: FirmwareVersion | 'new' | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation('firmware');
  const { message } = App.useApp();
  const reload = useReload(firmwareEndpoints.list);
  const [form] = Form.useForm<Values>();
  const [file, setFile] = useState<File | null>(null);
  const edited = row === 'new' ? null : row;
  const save = async ({ enabled, file: _, ...values }: Values) => {
    if (edited)
      await call(firmwareEndpoints.edit, {
        version_id: edited.version_id,
        revision: edited.revision,
        mac_name: values.mac_name,
        platformVersion: values.platformVersion,
        notes: values.notes,
        enabled,
      });
    else
      await upload(firmwareEndpoints.add, {
        ...Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== '' && value !== undefined),
        ),
        ...(file ? { file } : {}),
      });
    void message.success(t(($) => $.version.saved));
    await reload();
  };
  return (
    <FormDrawer
      open={row !== null}
      title={t(($) => (edited ? $.version.edit : $.version.add))}
      form={form}
      initial={
        edited
          ? {
              mac_name: edited.mac_name,
              platformVersion: edited.platformVersion,
              notes: edited.notes,
              enabled: edited.status === 'enabled',
            }
          : { notes: '', enabled: true, mac_name: '', appVersion: '', platformVersion: '' }
      }
      onSave={save}
      onClose={() => {
        setFile(null);
        onClose();
      }}
    >
      {!edited && (
        <Form.Item name="mac_type" label={t(($) => $.version.type)} rules={[rule('mac_type')]}>
          <Select options={types.map((value) => ({ value, label: <DeviceTypeName type={value} /> }))} />
        </Form.Item>
      )}
      <Form.Item name="mac_name" label={t(($) => $.version.macName)} rules={[rule('mac_name')]}>
        <Input maxLength={60} autoComplete="off" />
      </Form.Item>
      {!edited && (
        <Form.Item name="appVersion" label={t(($) => $.version.name)} rules={[rule('appVersion')]}>
          <Input maxLength={32} autoComplete="off" spellCheck={false} />
        </Form.Item>
      )}
      <Form.Item
        name="platformVersion"
        label={t(($) => $.version.platform)}
        rules={[rule('platformVersion')]}
      >
        <Input maxLength={32} autoComplete="off" spellCheck={false} />
      </Form.Item>
      {!edited && <FileFields file={file} onFile={setFile} />}
      {edited && (
        <Form.Item name="enabled" label={t(($) => $.version.status)} valuePropName="checked">
          <Switch
            checkedChildren={t(($) => $.version.enabled)}
            unCheckedChildren={t(($) => $.version.disabled)}
          />
        </Form.Item>
      )}
      <Form.Item name="notes" label={t(($) => $.version.notes)}>
        <Input.TextArea maxLength={1000} rows={3} />
      </Form.Item>
    </FormDrawer>
  );
};

const FileFields = ({ file, onFile }: { file: File | null; onFile: (file: File | null) => void }) => {
  const { t } = useTranslation('firmware');
  return (
    <>
      <Form.Item
        name="file"
        label={t(($) => $.version.file)}
        extra={t(($) => $.version.fileText)}
        dependencies={['appUrl']}
        rules={[fileOrLink]}
      >
        <Upload
          maxCount={1}
          beforeUpload={(chosen) => {
            onFile(chosen);
            return false;
          }}
          onRemove={() => onFile(null)}
        >
          <button type="button" className="text-button">
            {t(($) => $.version.choose)}
          </button>
        </Upload>
      </Form.Item>
      {!file && (
        <>
          <Form.Item name="appUrl" label={t(($) => $.version.url)}>
            <Input type="url" placeholder="https://" autoComplete="off" spellCheck={false} />
          </Form.Item>
          <Form.Item name="size" label={t(($) => $.version.size)}>
            <Input inputMode="numeric" autoComplete="off" />
          </Form.Item>
        </>
      )}
      <Form.Item name="sha256" label={t(($) => $.version.sha256)} extra={t(($) => $.version.sha256Text)}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="signature"
        label={t(($) => $.version.signature)}
        extra={t(($) => $.version.signatureText)}
        rules={[rule('signature')]}
      >
        <Input.TextArea rows={2} autoComplete="off" spellCheck={false} />
      </Form.Item>
    </>
  );
};
