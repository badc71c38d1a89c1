import { useQueryClient } from '@tanstack/react-query';
import { Form, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { call } from '../../api/call.ts';
import { DateField } from '../../parts/DateField.tsx';
import { countOf } from '../../parts/table/types.ts';
import { useFormFaults } from '../../parts/zod-rule.ts';
import { type DeviceActed, type Named, namedBody, refreshDevices } from './devices.query.ts';

/** Until when the service of several devices runs; empty: without end. */
export const ExpiryDialog = ({
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
  const [form] = Form.useForm<{ expires_on?: string }>();
  const mark = useFormFaults(form);
  const [busy, setBusy] = useState(false);
  const save = async ({ expires_on }: { expires_on?: string }) => {
    setBusy(true);
    try {
      const acted = await call(deviceEndpoints.expiry, {
        ...namedBody(named, filter),
        expires_on: expires_on || null,
      });
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
      title={t(($) => $.expiry.title, { count: countOf(named) })}
      okText={t(($) => $.expiry.act)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p className="tabular">{names}</p>
      <Form form={form} layout="vertical" onFinish={(values) => void save(values)}>
        <Form.Item name="expires_on" label={t(($) => $.column.expires)} extra={t(($) => $.expiry.empty)}>
          <DateField kind="date" />
        </Form.Item>
      </Form>
    </Modal>
  );
};
