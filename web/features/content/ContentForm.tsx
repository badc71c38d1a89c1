import { Form, Input, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { type ContentRow, contentEndpoints, contentForm, longestTitle } from '#contract/content.ts';
import { call } from '#web/api/call.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { Markdown } from '#web/parts/Markdown.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';

interface Values {
  title: string;
  content: string;
  enabled: boolean;
}
const rule = zodRule(contentForm);

/** Adds or changes one text, with a preview below. */
export const ContentForm = ({
  row,
  onClose,
  onSaved,
}: {
  row: ContentRow | null;
  onClose: () => void;
  onSaved: () => Promise<unknown>;
}) => {
  const { t } = useTranslation('content');
  const [form] = Form.useForm<Values>();
  const typed = Form.useWatch('content', form) ?? row?.content ?? '';
  const save = async (values: Values) => {
    if (row) await call(contentEndpoints.edit, { id: row.id, revision: row.revision, ...values });
    else await call(contentEndpoints.add, values);
    await onSaved();
  };
  return (
    <FormDrawer
      open
      title={t(($) => (row ? $.edit : $.add))}
      form={form}
      first="title"
      initial={{
        title: row?.title ?? '',
        content: row?.content ?? '',
        enabled: row?.status !== 'disabled',
      }}
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="title" label={t(($) => $.column.title)} required rules={[rule('title')]}>
        <Input maxLength={longestTitle} />
      </Form.Item>
      <Form.Item
        name="content"
        label={t(($) => $.column.content)}
        required
        rules={[rule('content')]}
        extra={t(($) => $.markdown)}
      >
        <Input.TextArea autoSize={{ minRows: 8, maxRows: 20 }} />
      </Form.Item>
      <Form.Item name="enabled" label={t(($) => $.enabled)} valuePropName="checked">
        <Switch />
      </Form.Item>
      <section aria-label={t(($) => $.preview)}>
        <h3>{t(($) => $.preview)}</h3>
        <Markdown text={typed} />
      </section>
    </FormDrawer>
  );
};
