import { App, Button, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceSettingEndpoints } from '#contract/device-settings.ts';
import { limits } from '#contract/limits.ts';
import { useCan } from '#web/api/session.ts';
import { useClear } from '#web/parts/use-clear.tsx';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { useStoredForm } from '#web/parts/use-stored-form.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { type Settings, useSettingsChanged } from './settings.query.ts';

interface Values {
  server_address: string;
  device_address: string;
  upload_seconds?: number;
}
const rule = zodRule(deviceSettingEndpoints.service.body, (values) => ({ device_id: 1, ...values }));

const textOf = (holder: unknown, key: string): string => {
  if (holder === null || typeof holder !== 'object' || !(key in holder)) return '';
  const value = (holder as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : '';
};

/** The server address of the device, its own address, and its upload interval. */
export const ServiceForm = ({ settings }: { settings: Settings }) => {
  const { t } = useTranslation('deviceSettings');
  const { message } = App.useApp();
  const clear = useClear();
  const [form] = Form.useForm<Values>();
  const may = useCan('device.configure');
  const confirm = useConfirm();
  const prove = useProvenCall();
  const changed = useSettingsChanged();
  const custom = settings.custom.desired ?? settings.custom.reported;
  const service =
    custom !== null && typeof custom === 'object' && 'service' in custom ? custom.service : null;

  const stored: Values = {
    server_address: textOf(service, 'server_address'),
    device_address: textOf(service, 'device_address'),
  };
  const { onTouched, sendWith } = useStoredForm(form, stored, settings.revision);

  const { busy, submit } = useSubmit(form, async (values: Values) => {
    const sent = await sendWith((revision) =>
      prove(deviceSettingEndpoints.service, {
        device_id: settings.device_id,
        revision,
        ...values,
      }),
    );
    if (!sent) return;
    void message.info(t(($) => (settings.waits === null ? $.send.sent : $.send.staged)));
  });
  const save = async (values: Values) => {
    const sure = await confirm({
      title: t(($) => $.service.sure),
      content: t(($) => $.service.sureText, { server: values.server_address }),
      okText: t(($) => $.service.act),
      danger: true,
    });
    if (!sure) return;
    await submit(values);
    await changed();
  };
  return (
    <section className="panel">
      <h2>{t(($) => $.service.title)}</h2>
      <Form
        form={form}
        layout="vertical"
        disabled={!may}
        initialValues={stored}
        onValuesChange={onTouched}
        onFinish={(values) => void save(values)}
      >
        <Form.Item
          name="server_address"
          label={t(($) => $.service.server)}
          required
          rules={[rule('server_address')]}
        >
          <Input placeholder="host:1883" spellCheck={false} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="device_address"
          label={t(($) => $.service.device)}
          required
          rules={[rule('device_address')]}
        >
          <Input spellCheck={false} autoComplete="off" />
        </Form.Item>
        <Form.Item name="upload_seconds" label={t(($) => $.service.upload)}>
          <Select
            allowClear={clear}
            options={limits.uploadMinutes.map((minutes) => ({
              value: minutes * 60,
              label: t(($) => $.service.minutes, { count: minutes }),
            }))}
          />
        </Form.Item>
        {may && (
          <Button loading={busy} onClick={() => form.submit()}>
            {t(($) => $.service.act)}
          </Button>
        )}
      </Form>
    </section>
  );
};
