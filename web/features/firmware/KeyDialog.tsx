import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { firmwareEndpoints } from '#contract/firmware.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { FormDialog } from '#web/parts/FormDialog.tsx';

export type SigningKey = ReplyOf<typeof firmwareEndpoints.keys>['list'][number];
interface Values {
  name?: string;
  public_key?: string;
  password?: string;
}
/** Accepts a signing key, or revokes one. */
export const KeyDialog = ({ subject, onClose }: { subject: SigningKey | 'new'; onClose: () => void }) => {
  const { t } = useTranslation('firmware');
  const { message } = App.useApp();
  const reload = useReload(firmwareEndpoints.keys);
  const [form] = Form.useForm<Values>();
  const send = async ({ name = '', public_key = '', password = '' }: Values) => {
    if (subject === 'new') await call(firmwareEndpoints.addKey, { name, public_key, password });
    else await call(firmwareEndpoints.revokeKey, { key_id: subject.key_id, password });
    if (subject === 'new') void message.success(t(($) => $.key.done));
    await reload();
  };
  return (
    <FormDialog
      title={subject === 'new' ? t(($) => $.key.add) : t(($) => $.key.revokeTitle, { name: subject.name })}
      act={t(($) => (subject === 'new' ? $.key.add : $.key.revoke))}
      danger={subject !== 'new'}
      requiredMark={false}
      form={form}
      send={send}
      onClose={onClose}
    >
      {subject === 'new' ? (
        <>
          <Form.Item name="name" label={t(($) => $.key.name)}>
            <Input maxLength={60} autoComplete="off" />
          </Form.Item>
          <Form.Item name="public_key" label={t(($) => $.key.value)}>
            <Input.TextArea rows={3} spellCheck={false} />
          </Form.Item>
        </>
      ) : (
        <p>{t(($) => $.key.revokeText)}</p>
      )}
      <Form.Item name="password" label={t(($) => $.rollout.password)}>
        <Input.Password autoComplete="current-password" maxLength={200} />
      </Form.Item>
    </FormDialog>
  );
};
