import { useQuery } from '@tanstack/react-query';
import { App, Button, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { feedbackEndpoints, feedbackForm, feedbackTypes, longestFeedback } from '#contract/feedback.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { useSubmit } from '#web/parts/use-submit.ts';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import './feedback.css';

type Values = { type: (typeof feedbackTypes)[number]; contact: string; content: string };
const rule = zodRule(feedbackForm);

/** Feedback to the administrators, with their answers. */
export const FeedbackPage = () => {
  const { t } = useTranslation('feedback');
  const { message } = App.useApp();
  const reload = useReload(feedbackEndpoints.mine);
  const [form] = Form.useForm<Values>();
  useUnsaved(() => Boolean(form.getFieldValue('content')));
  const query = useQuery(endpointQuery(feedbackEndpoints.mine, {}));
  const { busy, submit: send } = useSubmit(form, async (values: Values) => {
    await call(feedbackEndpoints.add, values);
    form.resetFields();
    void message.success(t(($) => $.sent));
    await reload();
  });
  return (
    <>
      <PageHeader title={t(($) => $.write)} />
      <Form
        form={form}
        layout="vertical"
        className="feedback-form"
        initialValues={{ type: 'problem', contact: '' }}
        onFinish={(values) => void send(values)}
      >
        <Form.Item name="type" label={t(($) => $.column.type)} rules={[rule('type')]}>
          <Select options={feedbackTypes.map((value) => ({ value, label: t(($) => $.type[value]) }))} />
        </Form.Item>
        <Form.Item name="content" label={t(($) => $.column.content)} required rules={[rule('content')]}>
          <Input.TextArea autoSize={{ minRows: 4, maxRows: 12 }} maxLength={longestFeedback} />
        </Form.Item>
        <Form.Item
          name="contact"
          label={t(($) => $.column.contact)}
          extra={t(($) => $.contactText)}
          rules={[rule('contact')]}
        >
          <Input maxLength={100} />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={busy}>
          {t(($) => $.send)}
        </Button>
      </Form>
      <h2>{t(($) => $.mine)}</h2>
      <DataState query={query}>
        {({ list }) =>
          list.length === 0 ? (
            <p className="soft">{t(($) => $.noneYet)}</p>
          ) : (
            <ul className="plain-list">
              {list.map((row) => (
                <li key={row.id} className="feedback-entry">
                  <span className="soft">
                    {t(($) => $.type[row.type])} · <TimeText at={row.time} />
                  </span>
                  <span className="feedback-whole">{row.content}</span>
                  {row.reply === null ? (
                    <span className="soft">{t(($) => $.answered.no)}</span>
                  ) : (
                    <span className="feedback-whole">
                      <strong>{row.replied_by}</strong> · <TimeText at={row.replied_at} />
                      <br />
                      {row.reply}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </DataState>
    </>
  );
};
