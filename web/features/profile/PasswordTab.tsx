import { App, Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import type { InputOf } from '#contract/endpoint.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { useSignedIn } from '#web/api/session.ts';
import { passwordRule } from '#web/parts/password-rule.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';

type Values = InputOf<(typeof sessionEndpoints)['changePassword']>;
const rule = zodRule(sessionEndpoints.changePassword.body);

export const PasswordTab = () => {
  const { t } = useTranslation('profile');
  const { message } = App.useApp();
  const { password_policy, username } = useSignedIn();
  const [form] = Form.useForm<Values>();
  const { busy, submit } = useSubmit(form, async (values) => {
    await call(sessionEndpoints.changePassword, values);
    form.resetFields();
    void message.success(t(($) => $.password.saved));
  });
  return (
    <Form form={form} layout="vertical" onFinish={(values) => void submit(values)}>
      <Form.Item name="old_password" label={t(($) => $.password.old)} rules={[rule('old_password')]}>
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item
        name="new_password"
        label={t(($) => $.password.new)}
        extra={password_policy === 'classic' ? t(($) => $.password.rule) : undefined}
        rules={[rule('new_password'), passwordRule('change', () => username)]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="repeat_password"
        label={t(($) => $.password.repeat)}
        dependencies={['new_password']}
        rules={[rule('repeat_password')]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <p>{t(($) => $.password.others)}</p>
      <Button type="primary" htmlType="submit" loading={busy}>
        {t(($) => $.password.change)}
      </Button>
    </Form>
  );
};
