import { Button, Modal, Typography } from 'antd';
import { useTranslation } from 'react-i18next';
import './devices.css';

export interface Credentials {
  number: string;
  secret: string;
}
/** The device's MQTT credentials. The server stores only a hash of the secret, so it is shown only now. */
export const SecretDialog = ({
  credentials,
  onClose,
}: {
  credentials: Credentials | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation('devices');
  const shown = credentials ?? { number: '', secret: '' };
  return (
    <Modal
      open={credentials !== null}
      title={t(($) => $.secret.title)}
      mask={{ closable: false }}
      keyboard={false}
      closable={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t(($) => $.secret.kept)}
        </Button>
      }
    >
      <p>
        <strong>{t(($) => $.secret.once)}</strong>
      </p>
      <dl className="facts">
        <dt>{t(($) => $.secret.user)}</dt>
        <dd>
          <Typography.Text copyable className="secret-text">
            {shown.number}
          </Typography.Text>
        </dd>
        <dt>{t(($) => $.secret.secret)}</dt>
        <dd>
          <Typography.Text copyable className="secret-text">
            {shown.secret}
          </Typography.Text>
        </dd>
      </dl>
      <p className="soft">{t(($) => $.secret.how, { number: shown.number })}</p>
    </Modal>
  );
};
