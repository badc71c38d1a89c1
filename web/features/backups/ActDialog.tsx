import { Form, Input } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '#web/parts/FormDialog.tsx';

interface ActValues {
  password: string;
  passphrase?: string;
}
export interface Act {
  title: string;
  /** Names the object of the act and its consequence. */
  text: ReactNode;
  okText: string;
  danger?: boolean;
  /** `new`: optional, for encryption; `needed`: decrypts the backup. */
  passphrase?: 'new' | 'needed';
  /** Throws the call's fault: its fields are marked here. */
  run: (values: ActValues) => Promise<unknown>;
}

/** Asks for the password, and sends it in the call of the act. */
export const ActDialog = ({ act, onClose }: { act: Act; onClose: () => void }) => {
  const { t } = useTranslation('backups');
  const [form] = Form.useForm<ActValues>();
  return (
    <FormDialog
      title={act.title}
      act={act.okText}
      danger={act.danger ?? false}
      requiredMark={false}
      form={form}
      about={<p className="backup-text">{act.text}</p>}
      send={async ({ password, passphrase }) => {
        await act.run({ password, ...(passphrase ? { passphrase } : {}) });
      }}
      onClose={onClose}
    >
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
    </FormDialog>
  );
};
