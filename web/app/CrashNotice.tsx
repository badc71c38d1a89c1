import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Fault, isNetworkFault, localCodes } from '#web/api/fault.ts';
import { reachesServer, servesCalls } from '#web/api/reach.ts';
import { Notice } from '#web/parts/Notice.tsx';

const tryEveryMs = 5_000;

/** Shown in place of a screen that failed: what happened, and what to do. */
export const CrashNotice = ({ error }: ErrorComponentProps) => {
  const { t } = useTranslation('shell');
  const fault = error instanceof Fault ? error : null;
  const isOffline = fault !== null && isNetworkFault(fault);
  const isWithoutDatabase = fault?.status === 503;
  useEffect(() => {
    if (!isOffline && !isWithoutDatabase) return undefined;
    const timer = window.setInterval(() => {
      void (isOffline ? reachesServer() : servesCalls()).then((isBack) => isBack && window.location.reload());
    }, tryEveryMs);
    return () => window.clearInterval(timer);
  }, [isOffline, isWithoutDatabase]);
  const text = (): { title: string; text: string } => {
    if (isOffline) return t(($) => $.crash.offline, { returnObjects: true });
    if (fault?.code === localCodes.missing) return t(($) => $.crash.missing, { returnObjects: true });
    return { title: t(($) => $.crash.title), text: fault?.message ?? t(($) => $.crash.text) };
  };
  return (
    <Notice {...text()}>
      <Button type="primary" onClick={() => window.location.reload()}>
        {t(($) => $.crash.reload)}
      </Button>
    </Notice>
  );
};
