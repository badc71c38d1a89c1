import { App, Button, Form, type FormInstance, Input } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { zodRule } from '#web/parts/zod-rule.ts';

const pauseSeconds = 60;
const rule = zodRule(sessionEndpoints.userInfo.body);

/**
 * The phone number, with the code that confirms it. Without the code it is saved, and an administrator
 * confirms it.
 */
export const PhoneFields = ({
  form,
  saved,
  confirmed,
}: {
  form: FormInstance;
  saved: string;
  confirmed: boolean;
}) => {
  const { t } = useTranslation('profile');
  const { message } = App.useApp();
  const mobile = (Form.useWatch('mobile', form) as string | undefined) ?? saved;
  const [wait, setWait] = useState(0);
  const isProved = confirmed && mobile === saved;
  useEffect(() => {
    if (wait <= 0) return;
    const timer = window.setTimeout(() => setWait(wait - 1), 1000);
    return () => window.clearTimeout(timer);
  }, [wait]);
  const send = async () => {
    try {
      await form.validateFields(['mobile']);
    } catch {
      return;
    }
    try {
      await call(sessionEndpoints.code, { mobile });
      setWait(pauseSeconds);
      void message.success(t(($) => $.info.codeSent, { mobile }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.retryAfterSeconds !== null) setWait(error.retryAfterSeconds);
    }
  };
  return (
    <>
      <Form.Item
        name="mobile"
        label={t(($) => $.info.mobile)}
        extra={mobile === '' ? undefined : t(($) => (isProved ? $.info.isConfirmed : $.info.unconfirmed))}
        rules={[rule('mobile')]}
      >
        <Input inputMode="tel" autoComplete="tel" />
      </Form.Item>
      {!isProved && mobile !== '' && (
        // The field inside has no room for its error (`noStyle`): this item shows it.
        <Form.Item label={t(($) => $.info.smsCode)} htmlFor="profile-sms-code">
          <div className="phone-code">
            <Form.Item name="sms_code" noStyle>
              <Input id="profile-sms-code" inputMode="numeric" autoComplete="one-time-code" maxLength={4} />
            </Form.Item>
            <Button disabled={wait > 0} onClick={() => void send()}>
              {wait > 0 ? t(($) => $.info.again, { count: wait }) : t(($) => $.info.send)}
            </Button>
          </div>
        </Form.Item>
      )}
    </>
  );
};
