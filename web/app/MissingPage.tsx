import { Button, Result } from 'antd';
import { useTranslation } from 'react-i18next';
import { PathLink } from '../parts/PathLink.tsx';
import { paths } from '../parts/paths.ts';

export const MissingPage = () => {
  const { t } = useTranslation('shell');
  return (
    <Result
      status="404"
      title={<h1 className="page-title">{t(($) => $.missing.title)}</h1>}
      subTitle={t(($) => $.missing.text)}
      extra={
        <PathLink to={paths.datascreen}>
          <Button type="primary" tabIndex={-1}>
            {t(($) => $.missing.home)}
          </Button>
        </PathLink>
      }
    />
  );
};
