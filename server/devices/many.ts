import { type DeviceSelection, mostAtOnce } from '#contract/devices.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Call } from '#server/core/serve.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import { deviceActs } from './acts.ts';
import type { Done } from './bulk.ts';
import { deviceStore } from './devices.store.ts';

/** Performs an act on devices: few within the call, each with its result; more become a job. */
export const actOnMany = async <Body extends DeviceSelection>(
  call: Call<Body>,
  kind: keyof typeof deviceActs,
  parameters: object,
  now: (ids: readonly number[]) => Promise<Done>,
) => {
  const { db, caller, body, language, note, emit } = call;
  const ids = await deviceStore(db).selected(caller.scope, body);
  if (ids.length > mostAtOnce) {
    const jobId = await jobStore(db).create({
      kind,
      by: caller,
      now: call.now,
      parameters,
      rows: ids.map((deviceId) => ({ deviceId, state: 'queued', reason: null })),
    });
    note({ device_ids: undefined, job_id: jobId, total: ids.length });
    emit('job.changed', { jobId, begun: true });
    return { results: [], job_id: jobId, total: ids.length };
  }
  const { outcomes, numbers } = await now(ids);
  note({ results: outcomes.map(({ id, result }) => ({ id, result })), numbers });
  for (const { id, result } of outcomes)
    if (result === 'done') emit('device.changed', { deviceId: id, what: deviceActs[kind].changes });
  const results = outcomes.map(({ id, result, reason }) => ({
    id,
    result,
    ...(reason === null ? {} : { reason, message: sentence(reason, language) }),
  }));
  return { results, job_id: null, total: ids.length };
};
