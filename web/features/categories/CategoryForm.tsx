import { Form, Input, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import {
  type CategoryRow,
  categoryEndpoints,
  categoryForm,
  longestCategoryName,
} from '#contract/categories.ts';
import { call } from '#web/api/call.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ImageUpload } from '#web/parts/ImageUpload.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';

interface Values {
  name: string;
  icon_id: string;
  description: string;
  enabled: boolean;
}
const rule = zodRule(categoryForm);

export const CategoryForm = ({
  row,
  onClose,
  onSaved,
}: {
  row: CategoryRow | null;
  onClose: () => void;
  onSaved: () => Promise<unknown>;
}) => {
  const { t } = useTranslation('categories');
  const [form] = Form.useForm<Values>();
  const save = async (values: Values) => {
    if (row) await call(categoryEndpoints.edit, { id: row.id, revision: row.revision, ...values });
    else await call(categoryEndpoints.add, values);
    await onSaved();
  };
  return (
    <FormDrawer
      open
      title={t(($) => (row ? $.edit : $.add))}
      form={form}
      first="name"
      initial={{
        name: row?.name ?? '',
        ...(row ? { icon_id: row.icon_id } : {}),
        description: row?.description ?? '',
        enabled: row?.status !== 'disabled',
      }}
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input maxLength={longestCategoryName} />
      </Form.Item>
      <Form.Item name="icon_id" label={t(($) => $.column.icon)} required rules={[rule('icon_id')]}>
        <ImageUpload label={t(($) => $.column.icon)} />
      </Form.Item>
      <Form.Item name="description" label={t(($) => $.column.description)} rules={[rule('description')]}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={300} />
      </Form.Item>
      <Form.Item name="enabled" label={t(($) => $.enabled)} valuePropName="checked">
        <Switch />
      </Form.Item>
    </FormDrawer>
  );
};
