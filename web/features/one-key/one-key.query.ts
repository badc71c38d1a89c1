import type { ReplyOf } from '#contract/endpoint.ts';
import { oneKeyEndpoints } from '#contract/one-key.ts';
import { endpointQuery } from '#web/api/query.ts';

export type SwitchAction = 'open' | 'close';
export type Preview = ReplyOf<typeof oneKeyEndpoints.switch>;
export type PreviewLine = Preview['lines'][number];
export type Batch = ReplyOf<typeof oneKeyEndpoints.batch>;

export const previewQuery = (deviceIds: readonly number[], action: SwitchAction) => ({
  ...endpointQuery(oneKeyEndpoints.switch, { device_ids: [...deviceIds], action, preview: true }),
  staleTime: 0,
  gcTime: 0,
});

const runningMs = 500;
/** A batch is loaded again until each of its lines has an end. */
export const batchQuery = (batchId: string) => ({
  ...endpointQuery(oneKeyEndpoints.batch, { batch_id: batchId }),
  refetchInterval: ({ state }: { state: { data?: Batch | undefined } }) =>
    state.data === undefined || state.data.state === 'running' ? runningMs : false,
});
