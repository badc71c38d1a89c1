import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useClear } from '#web/parts/use-clear.tsx';

type Rule = NonNullable<Parameters<typeof Form.Item>[0]['rules']>[number];

/** All projects and parts to which a device can be bound. */
export const useProjects = (enabled = true) => {
  const query = useQuery({ ...endpointQuery(projectEndpoints.options, { limit: 200 }), enabled });
  const list = query.data?.list ?? [];
  return {
    loading: query.isPending,
    options: list.map(({ project_id, name }) => ({ value: project_id, label: name })),
    partsOf: (projectId: number | null | undefined) =>
      (list.find(({ project_id }) => project_id === projectId)?.parts ?? []).map(({ part_id, name }) => ({
        value: part_id,
        label: name,
      })),
  };
};

/** The project of a device and, if it has parts, the part. Required if a rule is given. */
export const ProjectFields = ({ rule }: { rule?: Rule }) => {
  const { t } = useTranslation('devices');
  const clear = useClear();
  const form = Form.useFormInstance<{ project_id?: number | null; part_id?: number | null }>();
  const projects = useProjects();
  const parts = projects.partsOf(Form.useWatch('project_id', form));
  return (
    <>
      <Form.Item
        name="project_id"
        label={t(($) => $.column.project)}
        {...(rule ? { required: true, rules: [rule] } : { extra: t(($) => $.add.projectWhy) })}
      >
        <Select
          {...(rule ? {} : { allowClear: clear })}
          showSearch={{ optionFilterProp: 'label' }}
          loading={projects.loading}
          options={projects.options}
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
