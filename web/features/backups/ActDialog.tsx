import { Form, Input, Modal } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useFormFaults } from '../../parts/zod-rule.ts';

export interface ActValues {
  password: string;
  passphrase?: string;
}
export interface Act {
  title: string;
  /** Names what is touched and what follows from it. */
  text: ReactNode;
  okText: string;
  danger?: boolean;
  /** `new`: optional, to encrypt with; `needed`: opens the backup. */
  passphrase?: 'new' | 'needed';
  /** Throws the call's fault: its fields are marked here. */
  run: (values: ActValues) => Promise<unknown>;
}

/** Asks for the password, and does it with the same call. */
export const ActDialog = ({ act, onClose }: { act: Act; onClose: () => void }) => {
  useFocusBack();
  const { t } = useTranslation('backups');
  const { t: tc } = useTranslation('common');
  const [form] = Form.useForm<ActValues>();
  const mark = useFormFaults(form);
  const [busy, setBusy] = useState(false);
  const run = async ({ password, passphrase }: ActValues) => {
    setBusy(true);
    try {
      await act.run({ password, ...(passphrase ? { passphrase } : {}) });
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
      title={act.title}
      okText={act.okText}
      cancelText={tc(($) => $.dialog.cancel)}
      okButtonProps={{ danger: act.danger ?? false, loading: busy }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p className="backup-text">{act.text}</p>
      <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => void run(values)}>
        {act.passphrase && (
          <Form.Item
            name="passphrase"
            label={t(($) => (act.passphrase === 'new' ? $.act.newPassphrase : $.act.passphrase))}
            extra={act.passphrase === 'new' ? t(($) => $.act.newPassphraseText) : undefined}
          >
            <Input.Password autoComplete="off" maxLength={200} />
          </Form.Item>
        )}
        <Form.Item name="password" label={t(($) => $.act.password)}>
          <Input.Password autoComplete="current-password" autoFocus={!act.passphrase} maxLength={200} />
        </Form.Item>
      </Form>
    </Modal>
  );
};
