import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { graverOf, staysBehind } from '#contract/hazards.ts';
import type { Db } from '#database/connect.ts';
import { tagTexts } from '#server/control/hazard.ts';
import type { JobAct, JobAuthor, JobRow } from '#server/device-jobs/jobs.store.ts';
import { readWishes } from './desired.ts';
import { hazardOf, nameOf } from './settings.rules.ts';
import { stage } from './staging.ts';
import { targets } from './target.ts';

type Settings = BodyOf<typeof deviceSettingEndpoints.set>['settings'];

/**
 * The same settings for several devices, each validated by itself. Valid ones become desired values, in the
 * caller's transaction: the sender processes them and the job's rows show the state of each device.
 */
export const stageMany = async (
  trx: Db,
  job: {
    id: string;
    author: JobAuthor;
    now: number;
    /** The project of each device when the job was begun; without it: the present one. */
    askedIn?: ReadonlyMap<number, number | null>;
    jobMoved: (jobId: string) => void;
  },
  settings: Settings,
  deviceIds: readonly number[],
): Promise<JobRow[]> => {
  const found = new Map(
    (await targets(trx, job.author.scope, deviceIds)).map((target) => [target.id, target]),
  );
  const { reported, coming } = await valuesOfMany(trx, [...found.keys()]);
  const tags = await tagTexts(trx, [...found.keys()]);
  const stagings: Parameters<typeof stage>[1][number][] = [];
  const rows = deviceIds.map((deviceId): JobRow => {
    const target = found.get(deviceId);
    if (!target) return { deviceId, state: 'denied', reason: 'device.missing' };
    const { wishes, fields } = readWishes(settings, target, coming.get(deviceId) ?? {}, true);
    const [flaw] = Object.values(fields);
    if (flaw || wishes.length === 0) return { deviceId, state: 'skipped', reason: flaw ?? 'setting.place' };
    const hazard = graverOf([
      hazardOf(wishes, reported.get(deviceId) ?? {}),
      hazardOf(wishes, coming.get(deviceId) ?? {}),
    ]);
    if (hazard === 'closes' && !job.author.permissions.has('line.switch'))
      return { deviceId, state: 'denied', reason: 'permission.denied' };
    const askedIn = job.askedIn ? (job.askedIn.get(deviceId) ?? null) : target.projectId;
    if (staysBehind(hazard, askedIn, target.projectId))
      return { deviceId, state: 'skipped', reason: 'control.moved' };
    const tag = tags.get(deviceId);
    if (hazard !== null && tag !== undefined)
      return { deviceId, state: 'skipped', reason: 'control.tagged', with: { reason: tag } };
    stagings.push({ deviceId, askedIn, wishes });
    return { deviceId, state: 'waiting', reason: null };
  });
  const staged = await stage(trx, stagings, {
    userId: job.author.userId,
    operator: job.author.username,
    now: job.now,
    jobId: job.id,
    jobMoved: job.jobMoved,
  });
  const shown = new Set(
    staged.filter((one) => one.rows.every(({ state }) => state === 'applied')).map((one) => one.deviceId),
  );
  return rows.map((row) =>
    row.state === 'waiting' && shown.has(row.deviceId) ? { ...row, state: 'applied' } : row,
  );
};

/** Setting parameters of many devices, as a job. */
export const settingsAct: JobAct = {
  permission: 'device.configure',
  changes: 'settings',
  run: (trx, job, ids) => stageMany(trx, job, job.parameters as Settings, ids),
};

const valuesOfMany = async (trx: Db, ids: readonly number[]) => {
  const reported = new Map<number, Record<string, unknown>>();
  const coming = new Map<number, Record<string, unknown>>();
  if (ids.length === 0) return { reported, coming };
  const [known, waiting] = [
    await trx
      .selectFrom('device_settings')
      .select(['device_id', 'reported'])
      .where('device_id', 'in', ids)
      .execute(),
    await trx
      .selectFrom('device_desired')
      .select(['device_id', 'kind', 'place', 'key', 'value'])
      .where('device_id', 'in', ids)
      .where('state', '=', 'pending')
      .execute(),
  ];
  for (const row of known) {
    reported.set(row.device_id, { ...row.reported });
    coming.set(row.device_id, { ...row.reported });
  }
  for (const row of waiting)
    coming.set(row.device_id, { ...coming.get(row.device_id), [nameOf(row)]: row.value });
  return { reported, coming };
};
