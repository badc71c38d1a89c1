import { Form, Select } from 'antd';
import { useCategories } from './use-categories.ts';
import { useClear } from './use-clear.tsx';

/** Field `category_id` of a form; hidden while the installation has no categories. */
export const CategoryField = ({ label }: { label: string }) => {
  const clear = useClear();
  const options = useCategories();
  if (options.length === 0) return null;
  return (
    <Form.Item name="category_id" label={label}>
      <Select allowClear={clear} options={options} showSearch={{ optionFilterProp: 'label' }} />
    </Form.Item>
  );
};
