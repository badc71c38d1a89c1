import { Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints, linesOfType } from '#contract/devices.ts';
import { sentence } from '#contract/faults/codes.ts';
import { type DeviceType, deviceTypes } from '#contract/telemetry.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberRule } from '#web/parts/number-flaw.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { ProjectFields } from './ProjectFields.tsx';
import { type Credentials, SecretDialog } from './SecretDialog.tsx';

interface Values {
  number: string;
  name: string;
  type: DeviceType;
  project_id?: number;
  part_id?: number;
  address?: string;
  line_count: number;
}
const bodyOf = <Given extends Partial<Values>>({ line_count, ...values }: Given) => ({
  ...values,
  lines: Array.from({ length: line_count ?? 1 }, () => ({})),
});
const rule = zodRule(deviceEndpoints.add.body, (values) => bodyOf(values));

/** Registers a device; its secret is shown once, directly afterwards. */
export const AddDevice = ({
  open,
  given,
  onClose,
}: {
  open: boolean;
  given: { number: string | undefined; project_id: number | undefined };
  onClose: () => void;
}) => {
  const { t } = useTranslation('devices');
  const { t: tc } = useTranslation('common');
  const reload = useReload(deviceEndpoints.list);
  const [form] = Form.useForm<Values>();
  const [made, setMade] = useState<Credentials | null>(null);
  const type = Form.useWatch('type', form) ?? 3;

  const lineCount = { min: 1, max: linesOfType[type].most, digits: 0 };

  const save = async (values: Values) => {
    setMade(await call(deviceEndpoints.add, bodyOf(values)));
    await reload();
  };
  return (
    <>
      <FormDrawer
        open={open}
        title={t(($) => $.add.title)}
        form={form}
        initial={{
          type: 3,
          line_count: 1,
          ...(given.number === undefined ? {} : { number: given.number }),
          ...(given.project_id === undefined ? {} : { project_id: given.project_id }),
        }}
        saveText={t(($) => $.add.act)}
        onSave={save}
        onClose={onClose}
      >
        <Form.Item name="number" label={t(($) => $.column.number)} required rules={[rule('number')]}>
          <Input autoComplete="off" spellCheck={false} autoFocus />
        </Form.Item>
        <Form.Item name="name" label={t(($) => $.column.name)} required rules={[rule('name')]}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name="type" label={t(($) => $.column.type)} required rules={[rule('type')]}>
          <Select
            options={deviceTypes.map((value) => ({ value, label: tc(($) => $.deviceTypes[`${value}`]) }))}
          />
        </Form.Item>
        <Form.Item
          name="line_count"
          label={t(($) => $.add.lines)}
          extra={t(($) => $.add.linesMost, { count: linesOfType[type].most })}
          dependencies={['type']}
          required
          rules={[
            { required: true, message: sentence('field.required', currentLanguage()) },
            numberRule(lineCount),
          ]}
        >
          <NumberField {...lineCount} unit="" />
        </Form.Item>
        <ProjectFields />
        <Form.Item name="address" label={t(($) => $.column.address)} rules={[rule('address')]}>
          <Input />
        </Form.Item>
      </FormDrawer>
      <SecretDialog credentials={made} onClose={() => setMade(null)} />
    </>
  );
};
