import { useQuery } from '@tanstack/react-query';
import { Alert, App, Button, Drawer, Form, Input, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { userEndpoints } from '#contract/users.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useProvenCall } from '#web/parts/use-proof.tsx';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { TimeText } from '#web/values/TimeText.tsx';

interface Values {
  url: string;
  token?: string;
  allow_private: boolean;
}
const rule = zodRule(userEndpoints.smsGateway.body);

/** The gateway that sends SMS, and the sent messages; without a gateway the texts are shown here. */
export const SmsDrawer = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('users');
  const gateway = useQuery({ ...endpointQuery(userEndpoints.smsGateway, {}), enabled: open });
  const outbox = useQuery({ ...endpointQuery(userEndpoints.smsOutbox, {}), enabled: open });
  return (
    <Drawer open={open} title={t(($) => $.sms.title)} size={480} destroyOnHidden onClose={onClose}>
      <DataState query={gateway} rows={4}>
        {(given) => <GatewayForm given={given} />}
      </DataState>
      <h3>{t(($) => $.sms.outbox)}</h3>
      <p className="soft">{t(($) => $.sms.outboxText)}</p>
      <DataState query={outbox} rows={3} isEmpty={(rows) => rows.length === 0} empty={t(($) => $.sms.none)}>
        {(rows) => (
          <ul className="plain-list">
            {rows.map((row) => (
              <li key={row.id}>
                <div>
                  <div className="tabular">
                    {row.mobile} · {row.username} · {t(($) => $.sms.state[row.state])}
                  </div>
                  {row.text !== null && <div>{row.text}</div>}
                  <div className="soft">
                    <TimeText at={row.at} /> {row.error}
                  </div>
                </div>
              </li>
            ))}
          </ul>
        )}
      </DataState>
    </Drawer>
  );
};

const GatewayForm = ({ given }: { given: ReplyOf<typeof userEndpoints.smsGateway> }) => {
  const { t } = useTranslation('users');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(userEndpoints.smsGateway);
  const proof = useProvenCall('own_password');
  const [form] = Form.useForm<Values>();
  const { busy, submit } = useSubmit(form, async ({ url, token, allow_private }) => {
    const saved = await proof(userEndpoints.smsGateway, {
      url: url ?? '',
      allow_private,
      ...(token ? { token } : {}),
    });
    if (!saved) return;
    void message.success(t(($) => $.saved));
    await reload();
  });
  return (
    <Form
      form={form}
      layout="vertical"
      initialValues={{ url: given.url, allow_private: given.allow_private }}
      onFinish={(values) => void submit(values)}
    >
      <p>{t(($) => $.sms.text)}</p>
      <Form.Item name="url" label={t(($) => $.sms.url)} extra={t(($) => $.sms.urlText)} rules={[rule('url')]}>
        <Input type="url" placeholder="https://" autoComplete="off" spellCheck={false} />
      </Form.Item>
      {given.token_unreadable && (
        <Form.Item>
          <Alert type="error" showIcon title={t(($) => $.sms.tokenUnreadable)} />
        </Form.Item>
      )}
      <Form.Item
        name="token"
        label={t(($) => $.sms.token)}
        extra={given.has_token && !given.token_unreadable ? t(($) => $.sms.tokenKept) : undefined}
      >
        <Input.Password autoComplete="new-password" maxLength={500} />
      </Form.Item>
      <Form.Item name="allow_private" label={t(($) => $.sms.private)} valuePropName="checked">
        <Switch checkedChildren={t(($) => $.yes)} unCheckedChildren={t(($) => $.no)} />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={busy}>
        {tc(($) => $.dialog.save)}
      </Button>
    </Form>
  );
};
