import { type DeviceSelection, mostAtOnce } from '#contract/devices.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Call } from '#server/core/serve.ts';
import { jobStore } from '#server/device-jobs/jobs.store.ts';
import { type BindParameters, deviceActs, type ExpiryParameters } from './acts.ts';
import type { Done, Outcome } from './bulk.ts';
import { deviceStore } from './devices.store.ts';

/**
 * What the operation log of each project shows: of a move both projects see the devices, and only the new one
 * where they went.
 */
const ofProjects = ({ outcomes, held }: Done, to: number | null) => {
  const from = ({ id }: Outcome) => held.get(id)?.project_id ?? null;
  const row = (projectId: number | null, own: readonly Outcome[]) => ({
    projectId,
    ...(own.length === 1 ? { deviceId: own[0]!.id } : {}),
    device_ids: own.map(({ id }) => id),
    results: own.map(({ id, result }) => ({ id, result })),
    numbers: own.flatMap(({ id, result }) => (result === 'done' ? held.get(id)!.number : [])),
  });
  const arrived = (outcome: Outcome) => to !== null && (outcome.result === 'done' || from(outcome) === to);
  const there = outcomes.filter(arrived);
  const left = Map.groupBy(
    outcomes.filter((outcome) => !arrived(outcome) || ![null, to].includes(from(outcome))),
    from,
  );
  const rows = [
    ...(there.length > 0 ? [row(to, there)] : []),
    ...[...left].map(([projectId, own]) => ({
      ...row(projectId, own),
      ...(projectId === null ? {} : { project_id: undefined, part_id: undefined }),
    })),
  ];
  return rows.length > 1 ? rows.map((each) => ({ ...each, filter: undefined })) : rows;
};

/** Performs an act on devices: few within the call, each with its result; more become a job. */
export const actOnMany = async <Body extends DeviceSelection>(
  call: Call<Body>,
  kind: keyof typeof deviceActs,
  parameters: Partial<BindParameters & ExpiryParameters>,
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
  const made = await now(ids);
  const { outcomes } = made;
  note({ projects: ofProjects(made, parameters.project_id ?? null) });
  for (const { id, result } of outcomes)
    if (result === 'done') emit('device.changed', { deviceId: id, what: deviceActs[kind].changes });
  const results = outcomes.map(({ id, result, reason }) => ({
    id,
    result,
    ...(reason === null ? {} : { reason, message: sentence(reason, language) }),
  }));
  return { results, job_id: null, total: ids.length };
};
