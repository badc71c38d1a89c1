import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button, Result } from 'antd';
import { useTranslation } from 'react-i18next';
import { Fault } from '../api/fault.ts';

/** What stands where a screen could not be shown: what happened, and what to do. */
export const CrashNotice = ({ error }: ErrorComponentProps) => {
  const { t } = useTranslation('shell');
  const isFault = error instanceof Fault;
  return (
    <Result
      status="warning"
      title={<h1 className="page-title">{t(($) => $.crash.title)}</h1>}
      subTitle={
        isFault && error.message !== 'network'
          ? error.message
          : t(($) => (isFault ? $.crash.network : $.crash.text))
      }
      extra={
        <Button type="primary" onClick={() => window.location.reload()}>
          {t(($) => $.crash.reload)}
        </Button>
      }
    />
  );
};
