import { QrcodeOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { PathLink } from './PathLink.tsx';
import { paths } from './paths.ts';

/** Link to the QR codes for the panels of a device or a project. */
export const PanelCodeLink = ({ of }: { of: { device_id: number } | { project_id: number } }) => {
  const { t } = useTranslation('common');
  return (
    <PathLink to={paths.panelCodes(of)}>
      <Button icon={<QrcodeOutlined aria-hidden />} tabIndex={-1}>
        {t(($) => $.panelCodes)}
      </Button>
    </PathLink>
  );
};
