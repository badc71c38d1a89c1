import { useQueryClient } from '@tanstack/react-query';
import { Form, type FormInstance, Modal } from 'antd';
import { type ReactNode, useState } from 'react';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { InputOf } from '#contract/endpoint.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useFormFaults } from '../../parts/zod-rule.ts';
import { type DeviceActed, type Named, refreshDevices } from './devices.query.ts';

/** The devices of an act on several, and the function that reports its outcome. */
export interface ActProps {
  named: Named;
  names: string;
  filter: InputOf<typeof deviceEndpoints.export>;
  onDone: (acted: DeviceActed) => void;
  onClose: () => void;
}

/** Asks for what an act on several devices needs; each row says what became of it. */
export const ActDialog = <Values extends object>({
  title,
  act,
  names,
  form,
  send,
  onDone,
  onClose,
  children,
}: {
  title: string;
  act: string;
  names: string;
  form: FormInstance<Values>;
  /** Throws the call's fault: its fields are marked here. */
  send: (values: Values) => Promise<DeviceActed>;
  onDone: (acted: DeviceActed) => void;
  onClose: () => void;
  children: ReactNode;
}) => {
  const client = useQueryClient();
  useFocusBack();
  const mark = useFormFaults(form);
  const [busy, setBusy] = useState(false);
  const save = async (values: Values) => {
    setBusy(true);
    try {
      const acted = await send(values);
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
      title={title}
      okText={act}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p className="tabular">{names}</p>
      <Form form={form} layout="vertical" onFinish={(values) => void save(values)}>
        {children}
      </Form>
    </Modal>
  );
};
