import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { keyOf } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import type { Job } from './jobs.query.ts';

/** Ends a job, after asking. */
export const CancelButton = ({ job }: { job: Job }) => {
  const { t } = useTranslation('deviceJobs');
  const { number } = useFormats();
  const confirm = useConfirm();
  const client = useQueryClient();
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
    for (const endpoint of [deviceJobEndpoints.list, deviceJobEndpoints.job])
      await client.invalidateQueries({ queryKey: keyOf(endpoint) });
  };
  return (
    <Button danger loading={busy} onClick={() => void cancel()}>
      {t(($) => $.cancel.act)}
    </Button>
  );
};
