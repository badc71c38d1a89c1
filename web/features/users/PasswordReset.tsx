import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { type UserRow, userEndpoints } from '#contract/users.ts';
import { useSignedIn } from '#web/api/session.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { passwordRule } from '#web/parts/password-rule.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';

interface Values {
  password: string;
  repeat_password: string;
}
const rule = zodRule(userEndpoints.resetPassword.body, (values) => ({ user_id: 1, ...values }));

export const PasswordReset = ({ user, onClose }: { user: UserRow | null; onClose: () => void }) => {
  const { t } = useTranslation('users');
  const { message } = App.useApp();
  const proof = useProvenCall('own_password');
  const { password_policy } = useSignedIn();
  const [form] = Form.useForm<Values>();
  const save = async (values: Values) => {
    if (!user) return false;
    const set = await proof(userEndpoints.resetPassword, { user_id: user.user_id, ...values });
    if (!set) return false;
    void message.success(t(($) => $.reset.done));
  };
  return (
    <FormDrawer
      open={user !== null}
      title={t(($) => $.reset.title, { name: user?.username ?? '' })}
      form={form}
      initial={{}}
      first="password"
      saveText={t(($) => $.reset.act)}
      onSave={save}
      onClose={onClose}
    >
      <p>{t(($) => $.reset.text)}</p>
      <Form.Item
        name="password"
        label={t(($) => $.column.password)}
        extra={t(($) => (password_policy === 'classic' ? $.passwordText : $.passwordStrong))}
        rules={[rule('password'), passwordRule('add', () => user?.username)]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
      <Form.Item
        name="repeat_password"
        label={t(($) => $.repeat)}
        dependencies={['password']}
        rules={[rule('repeat_password')]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </FormDrawer>
  );
};
