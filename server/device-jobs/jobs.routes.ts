import { jobDeviceSheet } from '#contract/device-job-columns.ts';
import { deviceJobEndpoints as endpoints } from '#contract/device-jobs.ts';
import type { Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { cancelJob } from './cancel.ts';
import { jobDetail, jobDevices, jobList, jobSummary } from './show.ts';

export const deviceJobRoutes = (serve: Serve): void => {
  serve(endpoints.list, ({ db, caller, body }) => jobList(db, caller, body));
  serve(endpoints.job, ({ db, caller, body, language }) => jobDetail(db, caller, body.job_id, language));
  serve(endpoints.exportJob, async (call) => {
    const { db, caller, body, language } = call;
    await jobSummary(db, caller, body.job_id);
    return sendTable(
      call,
      jobDeviceSheet,
      everyRow((at) => jobDevices(db, caller, body.job_id, at, language)),
    );
  });
  serve(endpoints.cancel, async ({ db, caller, body, now, emit, note }) => {
    const withdrawn = await cancelJob(db, caller, body.job_id, now);
    for (const deviceId of withdrawn) emit('settings.progressed', { deviceId });
    emit('job.changed', { jobId: body.job_id });
    const summary = await jobSummary(db, caller, body.job_id);
    note({ succeeded: summary.succeeded, counts: summary.counts });
    return summary;
  });
};
