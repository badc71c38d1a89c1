import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';

export type Job = ReplyOf<typeof deviceJobEndpoints.job>;
export type JobSummary = ReplyOf<typeof deviceJobEndpoints.list>['list'][number];

const shownAtOnce = 3;
const lookAgainMs = 10_000;
const pollMs = 2000;

/** Running jobs; loaded regularly while there is one. */
export const runningJobsQuery = {
  ...endpointQuery(deviceJobEndpoints.list, { running: true, limit: shownAtOnce }),
  refetchInterval: ({ state }: { state: { data?: { total: number } | undefined } }) =>
    (state.data?.total ?? 0) > 0 ? lookAgainMs : false,
} as const;
export const jobQuery = (jobId: string) => ({
  ...endpointQuery(deviceJobEndpoints.job, { job_id: jobId }),
  refetchInterval: ({ state }: { state: { data?: Job | undefined } }) =>
    state.data?.done === true ? (false as const) : pollMs,
});

export const endedOf = ({ counts, total }: JobSummary): number =>
  total - (counts['queued'] ?? 0) - (counts['waiting'] ?? 0);
