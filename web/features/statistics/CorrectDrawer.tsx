import { App, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { statisticsEndpoints } from '#contract/statistics.ts';
import { call } from '#web/api/call.ts';
import { useFormats } from '#web/i18n/format.ts';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { useUnit } from '#web/values/use-unit.ts';
import { useReloadFigures } from './stale.ts';
import { useZoned } from './zoned.ts';

export interface Correctable {
  line_id: number;
  from: string;
  to: string;
  /** The energy that is recorded now. */
  kwh: number;
}
const most = 1e9;

/** Sets the energy of a line in one row: who, when, why, before and after are recorded. */
export const CorrectDrawer = ({
  what: { kwh, ...what },
  timeZone,
  onClose,
}: {
  what: Correctable;
  timeZone: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('statistics');
  const { message } = App.useApp();
  const reload = useReloadFigures();
  const formats = useFormats();
  const unitOf = useUnit();
  const zoned = useZoned(timeZone);
  const [form] = Form.useForm<{ kwh: number | null; reason: string }>();
  const rule = zodRule(statisticsEndpoints.correct.body, (values) => ({
    ...what,
    expected_kwh: kwh,
    ...values,
  }));
  return (
    <FormDrawer<{ kwh: number | null; reason: string }>
      open
      title={t(($) => $.correct.title)}
      form={form}
      initial={{ kwh: null, reason: '' }}
      first="kwh"
      saveText={t(($) => $.correct.save)}
      onClose={onClose}
      onSave={async (values) => {
        await call(statisticsEndpoints.correct, {
          ...what,
          expected_kwh: kwh,
          kwh: values.kwh ?? Number.NaN,
          reason: values.reason,
        });
        void message.success(t(($) => $.correct.done));
        await reload();
      }}
    >
      <p>
        {t(($) => $.correct.what, {
          from: zoned.moment(what.from),
          to: zoned.moment(what.to),
          kwh: `${formats.number(kwh, 2)}\u00a0${unitOf('kWh')}`,
        })}
      </p>
      <Form.Item name="kwh" label={t(($) => $.correct.kwh)} rules={[rule('kwh')]} required>
        <NumberField unit="kWh" min={0} max={most} digits={2} />
      </Form.Item>
      <Form.Item name="reason" label={t(($) => $.correct.reason)} rules={[rule('reason')]} required>
        <Input.TextArea rows={3} maxLength={500} showCount />
      </Form.Item>
      <p className="soft">{t(($) => $.correct.why)}</p>
    </FormDrawer>
  );
};
