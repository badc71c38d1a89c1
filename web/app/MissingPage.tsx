import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Notice } from '#web/parts/Notice.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';

export const MissingPage = () => {
  const { t } = useTranslation('shell');
  return (
    <Notice title={t(($) => $.missing.title)} text={t(($) => $.missing.text)}>
      <PathLink to={paths.datascreen}>
        <Button type="primary" tabIndex={-1}>
          {t(($) => $.missing.home)}
        </Button>
      </PathLink>
    </Notice>
  );
};
