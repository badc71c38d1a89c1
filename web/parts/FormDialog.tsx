import { Form, type FormInstance, Modal } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from './use-focus-back.ts';
import { useSubmit } from './use-submit.ts';

/** A short form above the screen, mounted while it is open; closes when its call is done. */
export const FormDialog = <Values,>({
  title,
  act,
  danger = false,
  disabled = false,
  requiredMark = true,
  form,
  initial = {},
  about,
  send,
  onClose,
  children,
}: {
  title: string;
  /** The label of the button. */
  act: string;
  danger?: boolean;
  /** The form cannot be sent now. */
  disabled?: boolean;
  requiredMark?: boolean;
  form: FormInstance<Values>;
  initial?: object;
  /** Text above the form. */
  about?: ReactNode;
  /** Throws the call's fault: its fields are marked here. `false` keeps the dialog open. */
  send: (values: Values) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) => {
  const { t } = useTranslation('common');
  useFocusBack();
  const { busy, submit } = useSubmit(form, async (values) => {
    if ((await send(values)) !== false) onClose();
  });
  return (
    <Modal
      open
      title={title}
      okText={act}
      cancelText={t(($) => $.dialog.cancel)}
      okButtonProps={{ danger, disabled, loading: busy }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      {about}
      <Form
        form={form}
        layout="vertical"
        preserve={false}
        requiredMark={requiredMark}
        initialValues={initial}
        onFinish={(values) => void submit(values)}
      >
        {children}
      </Form>
    </Modal>
  );
};
