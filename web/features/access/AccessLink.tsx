import { KeyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';

/** Links from a device to the permissions of users on it; for readers who may see accounts. */
export const AccessLink = ({ deviceId }: { deviceId: number }) => {
  const { t } = useTranslation('access');
  if (!useCan('user.read')) return null;
  return (
    <PathLink to={paths.access({ device_id: deviceId })}>
      <Button icon={<KeyOutlined aria-hidden />} tabIndex={-1}>
        {t(($) => $.open)}
      </Button>
    </PathLink>
  );
};
