import { Form, type FormInstance, Modal } from 'antd';
import { type ReactNode, useState } from 'react';
import type { AlarmRow } from '#contract/alarms.ts';
import { useFormFaults } from '../../parts/zod-rule.ts';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';

/** Asks about one alarm, which it names, or many; closes when what was asked for is done. */
export const AlarmDialog = <Values,>({
  title,
  act,
  only,
  form,
  initialValues,
  send,
  onClose,
  children,
}: {
  title: string;
  act: string;
  only: AlarmRow | undefined;
  form: FormInstance<Values>;
  initialValues?: object;
  /** Throws the call's fault: its fields are marked here. */
  send: (values: Values) => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) => {
  const [busy, setBusy] = useState(false);
  const mark = useFormFaults(form);

  const save = async (values: Values) => {
    setBusy(true);
    try {
      await send(values);
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
      title={title}
      okText={act}
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
      <Form
        form={form}
        layout="vertical"
        preserve={false}
        initialValues={initialValues ?? {}}
        onFinish={(values) => void save(values)}
      >
        {children}
      </Form>
    </Modal>
  );
};
