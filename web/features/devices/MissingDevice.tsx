import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Notice } from '#web/parts/Notice.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';

/** Shown by a page of one device that does not exist, or that the reader does not see. */
export const MissingDevice = () => {
  const { t } = useTranslation('devices');
  return (
    <Notice title={t(($) => $.missing.title)} text={t(($) => $.missing.text)}>
      <PathLink to={paths.deviceList()}>
        <Button type="primary" tabIndex={-1}>
          {t(($) => $.missing.list)}
        </Button>
      </PathLink>
    </Notice>
  );
};
