import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Fault } from '../api/fault.ts';
import { Notice } from '../parts/Notice.tsx';

/** What stands where a screen could not be shown: what happened, and what to do. */
export const CrashNotice = ({ error }: ErrorComponentProps) => {
  const { t } = useTranslation('shell');
  const isFault = error instanceof Fault;
  return (
    <Notice
      title={t(($) => $.crash.title)}
      text={
        isFault && error.message !== 'network'
          ? error.message
          : t(($) => (isFault ? $.crash.network : $.crash.text))
      }
    >
      <Button type="primary" onClick={() => window.location.reload()}>
        {t(($) => $.crash.reload)}
      </Button>
    </Notice>
  );
};
