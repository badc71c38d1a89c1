import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { endpointQuery } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import { DateField } from '../../parts/DateField.tsx';
import { FormDrawer } from '../../parts/FormDrawer.tsx';
import { zodRule } from '../../parts/zod-rule.ts';
import { refreshDevices } from './devices.query.ts';

type Stored = ReplyOf<typeof deviceEndpoints.form>;
interface Values {
  name: string;
  model: string;
  address: string;
  project_id?: number | null;
  part_id?: number | null;
  expires_on?: string;
}
const valuesOf = ({ name, model, address, project_id, part_id, expires_on }: Stored): Values => ({
  name,
  model,
  address,
  project_id,
  part_id,
  expires_on: expires_on ?? '',
});
const rule = zodRule(deviceEndpoints.change.body, (values) => {
  const { expires_on, ...rest } = values as Values;
  return { device_id: 1, revision: 1, ...rest, ...(expires_on ? { expires_on } : {}) };
});

/** Edits what is known about a device; another's edit meanwhile is shown, not written over. */
export const DeviceEdit = ({ deviceId, onClose }: { deviceId: number; onClose: () => void }) => {
  const query = useQuery({
    ...endpointQuery(deviceEndpoints.form, { device_id: deviceId }),
    staleTime: 0,
    gcTime: 0,
  });
  return query.data ? <Edit stored={query.data} onClose={onClose} /> : null;
};

const Edit = ({ stored, onClose }: { stored: Stored; onClose: () => void }) => {
  const { t } = useTranslation('devices');
  const client = useQueryClient();
  const [form] = Form.useForm<Values>();
  const [first] = useState(stored);
  const [newer, setNewer] = useState<Stored | null>(null);
  const mayBind = useCan('device.bind');
  const projects = useQuery(endpointQuery(projectEndpoints.options, { limit: 200 }));
  const projectId = Form.useWatch('project_id', form);
  const parts = projects.data?.list.find(({ project_id }) => project_id === projectId)?.parts ?? [];

  const save = async ({ project_id, part_id, expires_on, ...values }: Values) => {
    try {
      await call(deviceEndpoints.change, {
        device_id: first.device_id,
        revision: (newer ?? first).revision,
        ...values,
        expires_on: expires_on || null,
        ...(mayBind ? { project_id: project_id ?? null, part_id: part_id ?? null } : {}),
      });
    } catch (error) {
      if (error instanceof Fault && error.status === 409)
        setNewer(await call(deviceEndpoints.form, { device_id: first.device_id }));
      throw error;
    }
    onClose();
    await refreshDevices(client);
  };
  return (
    <FormDrawer
      open
      title={t(($) => $.edit.title, { number: first.number })}
      form={form}
      initial={valuesOf(first)}
      onSave={save}
      onClose={onClose}
    >
      {newer && (
        <Alert
          type="warning"
          showIcon
          title={t(($) => $.edit.changed)}
          description={[newer.name, newer.model, newer.address, newer.expires_on].filter(Boolean).join(' · ')}
          action={
            <Button size="small" onClick={() => form.setFieldsValue(valuesOf(newer))}>
              {t(($) => $.edit.takeTheirs)}
            </Button>
          }
        />
      )}
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item name="model" label={t(($) => $.column.model)} rules={[rule('model')]}>
        <Input maxLength={60} />
      </Form.Item>
      {mayBind && (
        <Form.Item name="project_id" label={t(($) => $.column.project)} extra={t(($) => $.add.projectWhy)}>
          <Select
            allowClear
            showSearch={{ optionFilterProp: 'label' }}
            loading={projects.isPending}
            options={(projects.data?.list ?? []).map(({ project_id, name }) => ({
              value: project_id,
              label: name,
            }))}
            onChange={() => form.setFieldsValue({ part_id: null })}
          />
        </Form.Item>
      )}
      {mayBind && parts.length > 0 && (
        <Form.Item name="part_id" label={t(($) => $.add.part)}>
          <Select allowClear options={parts.map(({ part_id, name }) => ({ value: part_id, label: name }))} />
        </Form.Item>
      )}
      <Form.Item name="address" label={t(($) => $.column.address)} rules={[rule('address')]}>
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item name="expires_on" label={t(($) => $.column.expires)} rules={[rule('expires_on')]}>
        <DateField kind="date" />
      </Form.Item>
    </FormDrawer>
  );
};
