import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Form, Modal, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { call } from '../../api/call.ts';
import { endpointQuery } from '../../api/query.ts';
import { countOf } from '../../parts/table/types.ts';
import { useFormFaults, zodRule } from '../../parts/zod-rule.ts';
import { type DeviceActed, type Named, namedBody, refreshDevices } from './devices.query.ts';

interface Values {
  project_id: number;
  part_id?: number;
}
const rule = zodRule(deviceEndpoints.bind.body, (values) => ({ device_ids: [1], ...values }));

/** Binds devices to a project; each row says what became of it. */
export const BindDialog = ({
  named,
  names,
  filter,
  onDone,
  onClose,
}: {
  named: Named;
  names: string;
  filter: InputOf<typeof deviceEndpoints.export>;
  onDone: (acted: DeviceActed) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('devices');
  const client = useQueryClient();
  const [form] = Form.useForm<Values>();
  const mark = useFormFaults(form);
  const [busy, setBusy] = useState(false);
  const projects = useQuery(endpointQuery(projectEndpoints.options, { limit: 200 }));
  const projectId = Form.useWatch('project_id', form);
  const parts = projects.data?.list.find(({ project_id }) => project_id === projectId)?.parts ?? [];
  const save = async (values: Values) => {
    setBusy(true);
    try {
      const acted = await call(deviceEndpoints.bind, { ...values, ...namedBody(named, filter) });
      onClose();
      onDone(acted);
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
      await refreshDevices(client);
    }
  };
  return (
    <Modal
      open
      title={t(($) => $.bind.title, { count: countOf(named) })}
      okText={t(($) => $.bind.act)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p className="tabular">{names}</p>
      <Form form={form} layout="vertical" onFinish={(values) => void save(values)}>
        <Form.Item name="project_id" label={t(($) => $.column.project)} required rules={[rule('project_id')]}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            loading={projects.isPending}
            options={(projects.data?.list ?? []).map(({ project_id, name }) => ({
              value: project_id,
              label: name,
            }))}
            onChange={() => form.setFieldsValue({ part_id: undefined as never })}
          />
        </Form.Item>
        {parts.length > 0 && (
          <Form.Item name="part_id" label={t(($) => $.add.part)}>
            <Select
              allowClear
              options={parts.map(({ part_id, name }) => ({ value: part_id, label: name }))}
            />
          </Form.Item>
        )}
      </Form>
    </Modal>
  );
};
