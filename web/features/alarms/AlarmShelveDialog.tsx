import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { type AlarmRow, alarmEndpoints } from '#contract/alarms.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { AlarmDialog } from './AlarmDialog.tsx';

interface Values {
  minutes: number;
  reason: string;
}
const rule = zodRule(alarmEndpoints.shelve.body, (values) => ({ ids: [1], ...values }));
const times = [15, 30, 60, 120, 240, 480];

/** Asks how long to shelve an alarm, and why. */
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
  const only = ids.length === 1 ? rows.find(({ id }) => id === ids[0]) : undefined;

  return (
    <AlarmDialog
      title={t(($) => $.shelve.title, { count: ids.length })}
      act={t(($) => $.shelve.act)}
      only={only}
      form={form}
      initialValues={{ minutes: 60 }}
      send={onShelve}
      onClose={onClose}
    >
      <p className="soft">{t(($) => $.shelve.text)}</p>
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
    </AlarmDialog>
  );
};
