import { randomUUID } from 'node:crypto';
import type { deviceSettingEndpoints } from '#contract/device-settings.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import type { JobDeviceState } from '#database/tables/settings.ts';
import { fault } from '#server/core/fault.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { nameOf } from './settings.rules.ts';
import { reasonSentence } from './settings.shown.ts';
import { type StagedBy, stage } from './settings.stage.ts';
import { settingsStore } from './settings.store.ts';
import { targets } from './settings.target.ts';
import { readWishes } from './settings.wish.ts';

type Settings = BodyOf<typeof deviceSettingEndpoints.set>['settings'];
type Results = ReplyOf<typeof deviceSettingEndpoints.set>['results'];
const mostUnfinished = 500;

/**
 * The same settings for many devices, each judged by itself: written in one transaction, so that all of it survives
 * whatever happens next; the sender works it off and the job's rows say where each device stands.
 */
export const stageMany = async (
  trx: Db,
  scope: Scope,
  deviceIds: readonly number[],
  settings: Settings,
  by: StagedBy,
  language: Language,
): Promise<{ jobId: string; results: Results; deviceIds: number[] }> => {
  const jobId = randomUUID();
  await trx
    .insertInto('setting_jobs')
    .values({
      id: jobId,
      user_id: by.userId ?? 0,
      operator: by.operator,
      created_at: new Date(by.now),
      settings: JSON.stringify(settings),
    })
    .execute();
  const asked = [...new Set(deviceIds)];
  const found = new Map((await targets(trx, scope, asked)).map((target) => [target.id, target]));
  const coming = await comingOfMany(trx, [...found.keys()]);
  const stagings: Parameters<typeof stage>[1][number][] = [];
  const rows: { deviceId: number; state: JobDeviceState; reason: string | null }[] = [];
  const results = asked.map((id): Results[number] => {
    const target = found.get(id);
    if (!target) {
      rows.push({ deviceId: id, state: 'denied', reason: null });
      return { id, result: 'denied', message: sentence('device.missing', language) };
    }
    const { wishes, fields } = readWishes(settings, target, coming.get(id) ?? {}, true);
    const [flaw] = Object.values(fields);
    if (flaw || wishes.length === 0) {
      const reason = flaw ?? 'setting.place';
      rows.push({ deviceId: id, state: 'skipped', reason });
      return { id, result: 'skipped', reason, message: sentence(reason, language) };
    }
    stagings.push({ deviceId: id, wishes });
    rows.push({ deviceId: id, state: 'waiting', reason: null });
    return { id, result: 'done' };
  });
  await settingsStore(trx).jobDevices(jobId, rows);
  await stage(trx, stagings, { ...by, jobId });
  return { jobId, results, deviceIds: stagings.map((one) => one.deviceId) };
};

const comingOfMany = async (trx: Db, ids: readonly number[]) => {
  const coming = new Map<number, Record<string, unknown>>();
  if (ids.length === 0) return coming;
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
  for (const row of known) coming.set(row.device_id, { ...row.reported });
  for (const row of waiting)
    coming.set(row.device_id, { ...coming.get(row.device_id), [nameOf(row)]: row.value });
  return coming;
};

/** Where a job stands. Those who see everything see every job, others their own; devices outside the scope unnamed. */
export const jobShown = async (
  db: Db,
  caller: { userId: number; scope: Scope },
  jobId: string,
  language: Language,
): Promise<ReplyOf<typeof deviceSettingEndpoints.job>> => {
  const job = await db.selectFrom('setting_jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  if (!job || (!caller.scope.all && job.user_id !== caller.userId)) return fault('thing.missing');
  const [counted, unfinished] = await Promise.all([
    db
      .selectFrom('setting_job_devices')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .where('job_id', '=', jobId)
      .groupBy('state')
      .execute(),
    db
      .selectFrom('setting_job_devices as row')
      .innerJoin('devices', 'devices.id', 'row.device_id')
      .select(['row.device_id', 'row.state', 'row.reason', 'devices.number'])
      .select(({ selectFrom }) =>
        selectFrom('device_desired')
          .select(({ fn }) => fn.max('reason').as('reason'))
          .where('device_desired.job_id', '=', jobId)
          .whereRef('device_desired.device_id', '=', 'row.device_id')
          .as('waits_for'),
      )
      .where('row.job_id', '=', jobId)
      .where('row.state', '<>', 'applied')
      .where(inScope(caller.scope, 'devices.project_id', 'devices.part_id'))
      .orderBy('devices.number')
      .limit(mostUnfinished)
      .execute(),
  ]);
  const counts = Object.fromEntries(counted.map(({ state, count }) => [state, count]));
  return {
    job_id: job.id,
    operator: job.operator,
    created_at: job.created_at.toISOString(),
    total: counted.reduce((sum, { count }) => sum + count, 0),
    counts,
    done: (counts['waiting'] ?? 0) === 0,
    unfinished: unfinished.map((row) => {
      const reason = row.reason ?? row.waits_for;
      return {
        device_id: row.device_id,
        number: row.number,
        state: row.state,
        reason,
        message: reasonSentence(reason, language),
      };
    }),
  };
};
