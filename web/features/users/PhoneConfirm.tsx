import { Modal } from 'antd';
import Password from 'antd/es/input/Password.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserRow } from '#contract/users.ts';

/** An administrator confirms that a number belongs to a user; each time with the own password. */
export const PhoneConfirm = ({
  user,
  onConfirm,
  onClose,
}: {
  user: UserRow | null;
  onConfirm: (user: UserRow, password: string) => Promise<void>;
  onClose: () => void;
}) => {
  const { t } = useTranslation('users');
  const { t: tc } = useTranslation('common');
  const [password, setPassword] = useState('');
  const close = () => {
    setPassword('');
    onClose();
  };
  return (
    <Modal
      open={user !== null}
      title={t(($) => $.confirmPhone.title, { name: user?.username ?? '', mobile: user?.mobile ?? '' })}
      okText={t(($) => $.confirmPhone.act)}
      cancelText={tc(($) => $.dialog.cancel)}
      okButtonProps={{ disabled: password === '' }}
      onOk={() => user && void onConfirm(user, password).then(close)}
      onCancel={close}
    >
      <p>{t(($) => $.confirmPhone.text)}</p>
      <label htmlFor="confirm-phone-password">{t(($) => $.confirmPhone.password)}</label>
      <Password
        id="confirm-phone-password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </Modal>
  );
};
