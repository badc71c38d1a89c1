import { useQueryClient } from '@tanstack/react-query';
import { Button, Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '../../api/call.ts';
import { useCan } from '../../api/session.ts';
import { useFormFaults, zodRule } from '../../parts/zod-rule.ts';
import { type DeviceDetail, refreshDevices } from './devices.query.ts';

interface Values {
  iccid: string;
}
const rule = zodRule(deviceEndpoints.iccid.body, (values) => ({ device_id: 1, revision: 1, ...values }));

/** Another SIM was put in. */
export const IccidChange = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const client = useQueryClient();
  const may = useCan('device.write');
  const [form] = Form.useForm<Values>();
  const mark = useFormFaults(form);
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  if (!may) return null;
  const save = async ({ iccid }: Values) => {
    setBusy(true);
    try {
      await call(deviceEndpoints.iccid, { device_id: device.device_id, revision: device.revision, iccid });
      setOpen(false);
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
      await refreshDevices(client);
    }
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t(($) => $.iccid.act)}</Button>
      <Modal
        open={open}
        destroyOnHidden
        title={t(($) => $.iccid.title, { number: device.number })}
        okText={t(($) => $.iccid.act)}
        confirmLoading={busy}
        onOk={() => form.submit()}
        onCancel={() => setOpen(false)}
      >
        <Form
          form={form}
          layout="vertical"
          initialValues={{ iccid: device.iccid }}
          onFinish={(values) => void save(values)}
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
        </Form>
      </Modal>
    </>
  );
};
