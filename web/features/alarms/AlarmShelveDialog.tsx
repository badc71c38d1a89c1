import { Form, Input, Modal, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { useFormFaults, zodRule } from '../../parts/zod-rule.ts';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';

interface Values {
  minutes: number;
  reason: string;
}
const rule = zodRule(alarmEndpoints.shelve.body, (values) => ({ ids: [1], ...values }));
const times = [15, 30, 60, 120, 240, 480];

/** Asks for how long alarms are put aside, and why. */
export const AlarmShelveDialog = ({
  ids,
  rows,
  onClose,
  onShelve,
}: {
  ids: readonly number[];
  rows: readonly AlarmRow[];
  onClose: () => void;
  onShelve: (given: Values) => Promise<void>;
}) => {
  const { t } = useTranslation('alarms');
  const [form] = Form.useForm<Values>();
  const [busy, setBusy] = useState(false);
  const mark = useFormFaults(form);
  const only = ids.length === 1 ? rows.find(({ id }) => id === ids[0]) : undefined;

  const save = async (values: Values) => {
    setBusy(true);
    try {
      await onShelve(values);
      onClose();
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      title={t(($) => $.shelve.title, { count: ids.length })}
      okText={t(($) => $.shelve.act)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
    >
      {only && (
        <p>
          <strong>
            <AlarmTypeName code={only.typeNumber} />
          </strong>{' '}
          · {[only.project_name, only.device_number, only.line_name].filter(Boolean).join(' · ')}
        </p>
      )}
      <p className="soft">{t(($) => $.shelve.text)}</p>
      <Form
        form={form}
        layout="vertical"
        preserve={false}
        initialValues={{ minutes: 60 }}
        onFinish={(values) => void save(values)}
      >
        <Form.Item name="minutes" label={t(($) => $.shelve.time)} rules={[rule('minutes')]}>
          <Select
            options={times.map((value) => ({
              value,
              label:
                value < 60
                  ? t(($) => $.shelve.minutes, { value })
                  : t(($) => $.shelve.hours, { value: value / 60 }),
            }))}
          />
        </Form.Item>
        <Form.Item
          name="reason"
          className="handle-content"
          label={t(($) => $.shelve.reason)}
          rules={[rule('reason')]}
        >
          <Input.TextArea rows={3} maxLength={200} showCount autoFocus />
        </Form.Item>
      </Form>
    </Modal>
  );
};
