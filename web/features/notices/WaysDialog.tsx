import { useQuery } from '@tanstack/react-query';
import { Alert, App, Form, Input, Modal, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { type Language, languages } from '#contract/languages.ts';
import { noticeEndpoints, type WechatFields, wechatParts } from '#contract/notices.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { ownNames } from '#web/i18n/own-names.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { PushKeysLost } from './PushKeysLost.tsx';

interface Values {
  app_id: string;
  app_secret?: string;
  template_id: string;
  fields: WechatFields;
  base_url: string;
  private_targets: boolean;
  language: Language;
}
const bodyOf = ({ app_secret, fields, ...values }: Values) => ({
  ...values,
  // A value without a key is not sent.
  fields: Object.fromEntries(Object.entries(fields ?? {}).filter(([, key]) => key)),
  ...filled({ app_secret }),
});
const rule = zodRule(noticeEndpoints.setWays.body, (values) => bodyOf(values as Values));

/** The template field's key for each value of a message. */
const WechatFieldKeys = ({
  value = {},
  onChange,
}: {
  value?: WechatFields;
  onChange?: (value: WechatFields) => void;
}) => {
  const { t } = useTranslation('notices');
  return (
    <div className="wechat-field-keys">
      {wechatParts.map((part) => (
        <Input
          key={part}
          addonBefore={t(($) => $.ways.part[part])}
          aria-label={t(($) => $.ways.part[part])}
          value={value[part] ?? ''}
          maxLength={26}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange?.({ ...value, [part]: event.target.value.trim() })}
        />
      ))}
    </div>
  );
};

/** The installation's notification channels: the WeChat account, and where webhooks may go. */
export const WaysDialog = ({ onClose }: { onClose: () => void }) => {
  useFocusBack();
  const { t } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(noticeEndpoints.ways);
  const [form] = Form.useForm<Values>();
  const query = useQuery(endpointQuery(noticeEndpoints.ways, {}));
  const { busy, submit: save } = useSubmit(form, async (values: Values) => {
    await call(noticeEndpoints.setWays, bodyOf(values));
    await reload();
    void message.success(t(($) => $.saved));
    onClose();
  });
  return (
    <Modal
      open
      title={t(($) => $.ways.title)}
      okText={tc(($) => $.dialog.save)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <DataState query={query} rows={8}>
        {({ wechat, push_key_unreadable, private_targets, language }) => (
          <Form
            form={form}
            layout="vertical"
            initialValues={{ ...wechat, private_targets, language }}
            onFinish={(values: Values) => void save(values)}
          >
            {push_key_unreadable && <PushKeysLost />}
            <p className="soft">{t(($) => $.ways.wechat)}</p>
            <Form.Item name="app_id" label="AppID" rules={[rule('app_id')]}>
              <Input autoComplete="off" spellCheck={false} />
            </Form.Item>
            {wechat.secret_unreadable && (
              <Form.Item>
                <Alert type="error" showIcon title={t(($) => $.secretUnreadable)} />
              </Form.Item>
            )}
            <Form.Item
              name="app_secret"
              label="AppSecret"
              extra={wechat.has_secret && !wechat.secret_unreadable ? t(($) => $.secretKept) : undefined}
              rules={[rule('app_secret')]}
            >
              <Input.Password autoComplete="new-password" />
            </Form.Item>
            <Form.Item name="template_id" label={t(($) => $.ways.template)} rules={[rule('template_id')]}>
              <Input autoComplete="off" spellCheck={false} />
            </Form.Item>
            <Form.Item
              label={t(($) => $.ways.fields)}
              extra={t(($) => $.ways.fieldsText)}
              className="wechat-fields"
              name={['fields']}
              rules={[rule('fields')]}
            >
              <WechatFieldKeys />
            </Form.Item>
            <Form.Item name="base_url" label={t(($) => $.ways.base)} rules={[rule('base_url')]}>
              <Input type="url" />
            </Form.Item>
            <Form.Item
              name="private_targets"
              label={t(($) => $.ways.private)}
              extra={t(($) => $.ways.privateText)}
              valuePropName="checked"
            >
              <Switch />
            </Form.Item>
            <Form.Item name="language" label={t(($) => $.ways.language)}>
              <Select options={languages.map((value) => ({ value, label: ownNames[value] }))} />
            </Form.Item>
          </Form>
        )}
      </DataState>
    </Modal>
  );
};
