import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { type FeedbackRow, feedbackEndpoints, longestFeedback } from '#contract/feedback.ts';
import { call } from '#web/api/call.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { TimeText } from '#web/values/TimeText.tsx';

const rule = zodRule(feedbackEndpoints.reply.body, (values) => ({ id: 1, ...values }));

/** Answers one user; the answer reaches them as a message. */
export const ReplyForm = ({
  row,
  onClose,
  onSaved,
}: {
  row: FeedbackRow;
  onClose: () => void;
  onSaved: () => Promise<unknown>;
}) => {
  const { t } = useTranslation('feedback');
  const [form] = Form.useForm<{ reply: string }>();
  const save = async ({ reply }: { reply: string }) => {
    await call(feedbackEndpoints.reply, { id: row.id, reply });
    await onSaved();
  };
  return (
    <FormDrawer
      open
      title={t(($) => $.reply.title, { name: row.nickname })}
      form={form}
      first="reply"
      initial={{ reply: row.reply ?? '' }}
      saveText={t(($) => $.reply.send)}
      onSave={save}
      onClose={onClose}
    >
      <p className="soft">
        {t(($) => $.type[row.type])} · <TimeText at={row.time} />
        {row.contact && ` · ${row.contact}`}
      </p>
      <p className="feedback-whole">{row.content}</p>
      <Form.Item name="reply" label={t(($) => $.column.reply)} required rules={[rule('reply')]}>
        <Input.TextArea autoSize={{ minRows: 4, maxRows: 12 }} maxLength={longestFeedback} />
      </Form.Item>
    </FormDrawer>
  );
};
