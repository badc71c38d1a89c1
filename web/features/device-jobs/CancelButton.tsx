import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import type { Job } from './jobs.query.ts';

/** Ends a job, after asking. */
export const CancelButton = ({ job }: { job: Job }) => {
  const { t } = useTranslation('deviceJobs');
  const { number } = useFormats();
  const confirm = useConfirm();
  const reload = useReload(deviceJobEndpoints.list, deviceJobEndpoints.job);
  const [busy, setBusy] = useState(false);
  const cancel = async () => {
    const sure = await confirm({
      title: t(($) => $.cancel.title),
      content: t(($) => $.cancel.text, { done: number(job.succeeded), total: number(job.total) }),
      okText: t(($) => $.cancel.act),
      danger: true,
    });
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      await call(deviceJobEndpoints.cancel, { job_id: job.job_id });
    });
    setBusy(false);
    await reload();
  };
  return (
    <Button danger loading={busy} onClick={() => void cancel()}>
      {t(($) => $.cancel.act)}
    </Button>
  );
};
