import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { categoryEndpoints } from '#contract/categories.ts';
import { endpointQuery } from '../api/query.ts';
import { useClear } from './use-clear.tsx';

/** The categories that a device may be put into. */
export const useCategories = (): { value: number; label: string }[] =>
  useQuery(endpointQuery(categoryEndpoints.options, {})).data?.list.map(({ id, name }) => ({
    value: id,
    label: name,
  })) ?? [];

/** Field `category_id` of a form; not shown while the installation has no categories. */
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
