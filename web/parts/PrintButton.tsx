import { PrinterOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import './print.css';

/** Prints the page as a report: without the frame and controls. */
export const PrintButton = () => {
  const { t } = useTranslation('common');
  return (
    <Button className="brief-button" icon={<PrinterOutlined aria-hidden />} onClick={() => window.print()}>
      {t(($) => $.print)}
    </Button>
  );
};
