import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { CategoryField } from '#web/parts/CategoryField.tsx';
import { DateField } from '#web/parts/DateField.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { useCategories } from '#web/parts/use-categories.ts';
import { useProjectChoice } from '#web/parts/use-project-choice.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import './devices.css';
import { useReloadDevices } from './devices.query.ts';
import { ProjectFields } from './ProjectFields.tsx';

type Stored = ReplyOf<typeof deviceEndpoints.form>;
interface Values {
  name: string;
  model: string;
  address: string;
  project_id?: number | null;
  part_id?: number | null;
  category_id?: number | null;
  expires_on?: string;
}
const valuesOf = ({
  name,
  model,
  address,
  project_id,
  part_id,
  category_id,
  expires_on,
}: Stored): Values => ({
  name,
  model,
  address,
  project_id,
  part_id,
  category_id,
  expires_on: expires_on ?? '',
});
const rule = zodRule(deviceEndpoints.change.body, (values) => {
  const { expires_on, ...rest } = values as Values;
  return { device_id: 1, revision: 1, ...rest, ...(expires_on ? { expires_on } : {}) };
});

/** Edits a device; another user's simultaneous edit is shown, not overwritten. */
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
  const reload = useReloadDevices();
  const [form] = Form.useForm<Values>();
  const [first] = useState(stored);
  const [newer, setNewer] = useState<Stored | null>(null);
  const mayBind = useCan('device.bind');
  const differences = useDifferences(first, newer);

  const save = async ({ project_id, part_id, category_id, expires_on, ...values }: Values) => {
    try {
      await call(deviceEndpoints.change, {
        device_id: first.device_id,
        revision: (newer ?? first).revision,
        ...values,
        expires_on: expires_on || null,
        category_id: category_id ?? null,
        ...(mayBind ? { project_id: project_id ?? null, part_id: part_id ?? null } : {}),
      });
    } catch (error) {
      if (error instanceof Fault && error.status === 409)
        setNewer(await call(deviceEndpoints.form, { device_id: first.device_id }));
      throw error;
    }
    void reload();
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
          className="edit-conflict"
          title={t(($) => $.edit.changed)}
          description={
            <>
              <ul className="plain-list">
                {differences.map(({ label, value }) => (
                  <li key={label}>
                    <span>{label}</span>
                    <strong>{value}</strong>
                  </li>
                ))}
              </ul>
              <Button size="small" onClick={() => form.setFieldsValue(valuesOf(newer))}>
                {t(($) => $.edit.takeTheirs)}
              </Button>
            </>
          }
        />
      )}
      <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
        <Input maxLength={60} />
      </Form.Item>
      <Form.Item name="model" label={t(($) => $.column.model)} rules={[rule('model')]}>
        <Input maxLength={60} />
      </Form.Item>
      {mayBind && <ProjectFields />}
      <CategoryField label={t(($) => $.column.category)} />
      <Form.Item name="address" label={t(($) => $.column.address)} rules={[rule('address')]}>
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item name="expires_on" label={t(($) => $.column.expires)} rules={[rule('expires_on')]}>
        <DateField kind="date" />
      </Form.Item>
    </FormDrawer>
  );
};

/** What another user changed meanwhile, in words. */
const useDifferences = (before: Stored, after: Stored | null) => {
  const { t } = useTranslation('devices');
  const formats = useFormats();
  const { here } = useProjectChoice(after?.project_id ?? undefined, { enabled: after !== null });
  const categories = useCategories();
  if (!after) return [];
  const nameIn = (options: readonly { value: number; label: string }[], id: number | null) =>
    options.find(({ value }) => value === id)?.label;
  const sides: [label: string, key: keyof Values, shown: string | null | undefined][] = [
    [t(($) => $.column.name), 'name', after.name],
    [t(($) => $.column.model), 'model', after.model],
    [t(($) => $.column.project), 'project_id', here?.name],
    [t(($) => $.add.part), 'part_id', here?.parts.find(({ part_id }) => part_id === after.part_id)?.name],
    [t(($) => $.column.category), 'category_id', nameIn(categories, after.category_id)],
    [t(($) => $.column.address), 'address', after.address],
    [t(($) => $.column.expires), 'expires_on', after.expires_on && formats.day(after.expires_on)],
  ];
  return sides.flatMap(([label, key, shown]) =>
    before[key] === after[key] ? [] : [{ label, value: shown || '—' }],
  );
};
