import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '#web/api/call.ts';
import { useCan } from '#web/api/session.ts';
import { FormDialog } from '#web/parts/FormDialog.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { type DeviceDetail, useReloadDevices } from './devices.query.ts';

interface Values {
  iccid: string;
}
const rule = zodRule(deviceEndpoints.iccid.body, (values) => ({ device_id: 1, revision: 1, ...values }));

/** The SIM card was replaced. */
export const IccidChange = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const reload = useReloadDevices();
  const may = useCan('device.write');
  const [form] = Form.useForm<Values>();
  const [open, setOpen] = useState(false);
  if (!may) return null;
  const save = ({ iccid }: Values) =>
    call(deviceEndpoints.iccid, { device_id: device.device_id, revision: device.revision, iccid }).finally(
      () => void reload(),
    );
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t(($) => $.iccid.act)}</Button>
      {open && (
        <FormDialog
          title={t(($) => $.iccid.title, { number: device.number })}
          act={t(($) => $.iccid.act)}
          form={form}
          initial={{ iccid: device.iccid }}
          send={save}
          onClose={() => setOpen(false)}
        >
          <Form.Item
            name="iccid"
            label="ICCID"
            extra={t(($) => $.iccid.where)}
            required
            rules={[rule('iccid')]}
          >
            <Input autoFocus autoComplete="off" spellCheck={false} maxLength={20} className="tabular" />
          </Form.Item>
        </FormDialog>
      )}
    </>
  );
};
