import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useClear } from '#web/parts/use-clear.tsx';
import { mostOffered, useProjectChoice } from '#web/parts/use-project-choice.ts';

type Rule = NonNullable<Parameters<typeof Form.Item>[0]['rules']>[number];

/** The project of a device and, if it has parts, the part. Required if a rule is given. */
export const ProjectFields = ({ rule }: { rule?: Rule }) => {
  const { t } = useTranslation('devices');
  const clear = useClear();
  const form = Form.useFormInstance<{ project_id?: number | null; part_id?: number | null }>();
  const { here, select } = useProjectChoice(Form.useWatch('project_id', form) ?? undefined, {
    most: mostOffered,
  });
  const parts = (here?.parts ?? []).map(({ part_id, name }) => ({ value: part_id, label: name }));
  return (
    <>
      <Form.Item
        name="project_id"
        label={t(($) => $.column.project)}
        {...(rule ? { required: true, rules: [rule] } : { extra: t(($) => $.add.projectWhy) })}
      >
        <Select
          {...(rule ? {} : { allowClear: clear })}
          showSearch={select.showSearch}
          loading={select.loading}
          options={select.options}
          onChange={() => form.setFieldsValue({ part_id: undefined as never })}
        />
      </Form.Item>
      {parts.length > 0 && (
        <Form.Item name="part_id" label={t(($) => $.add.part)}>
          <Select allowClear={clear} options={parts} />
        </Form.Item>
      )}
    </>
  );
};
