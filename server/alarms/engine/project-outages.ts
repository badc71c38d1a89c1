/** Outages of whole projects: one alarm on the project's own line instead of one for each device (§3.2 rule 5). */

import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { projectLine } from '#server/core/alarm-scope.ts';
import type { Batch } from '#server/core/batch.ts';
import { notDeletedSql } from '#server/core/not-deleted.ts';
import type { Draft } from './changes.ts';
import { type ActiveAlarm, type AlarmMemory, keyOf } from './memory.ts';
import { type Away, type OutageShare, outageFadesMs, outageLeft, outageOf } from './outage-rule.ts';

const supplyCode = alarmCodes.outage;
const linkCode = alarmCodes.offline;
export const isAway = (code: number) => code === supplyCode || code === linkCode;
/**
 * A higher severity than that of a single device, so that the quiet hours of a rule do not delay it until the
 * morning digest.
 */
const severity = 2;
const beginsAbovePercent = 60;

/**
 * Gateway batteries last this long: a device that is found away within this time of the beginning is part of
 * the outage.
 */
const joinsMs = 3_600_000;

/** Since when most of an outage's devices are back. Not stored: a restarted server counts again. */
const fadingSince = new WeakMap<ActiveAlarm, number>();

/** The active outage of a project, or null. */
export const outageOver = (memory: AlarmMemory, projectId: number): ActiveAlarm | null => {
  const line = memory.known(projectLine(projectId));
  return (
    line?.conditions.get(keyOf(supplyCode, 0))?.active ??
    line?.conditions.get(keyOf(linkCode, 0))?.active ??
    null
  );
};

interface Device {
  readonly id: number;
  readonly partId: number | null;
  readonly at: number | null;
}
const standingSql = `select line_id from alarms where line_id = any($1::int[]) and cleared_at is null
  order by line_id for update`;
const devicesSql = `with standing as (
    select device_id, min(raised_at) as at from alarms
    where cleared_at is null and code in (${supplyCode}, ${linkCode}) and not late and line_id > 0
      and normal_at is null
      and project_id = any($1::int[]) and not id = any($2::bigint[])
    group by 1
  )
  select d.project_id, d.id, d.part_id, case when s.online then standing.at
      else least(coalesce(s.online_changed_at, 'epoch'), standing.at) end as at
  from devices d join device_state s on s.device_id = d.id left join standing on standing.device_id = d.id
  where d.project_id = any($1::int[]) and ${notDeletedSql('d')} and s.last_seen is not null`;

const devicesOf = async (
  batch: Batch,
  projectIds: readonly number[],
  cleared: readonly number[],
): Promise<Map<number, Device[]>> => {
  const rows = await batch.query<{
    project_id: number;
    id: number;
    part_id: number | null;
    at: Date | null;
  }>(devicesSql, [projectIds, cleared]);
  const devices = rows.map((row) => ({
    projectId: row.project_id,
    device: { id: row.id, partId: row.part_id, at: row.at?.getTime() ?? null },
  }));
  return new Map(
    [...Map.groupBy(devices, ({ projectId }) => projectId)].map(([id, list]) => [
      id,
      list.map(({ device }) => device),
    ]),
  );
};

/** What a draft contains about outages: its projects and times, devices found away, and ended alarms. */
const concernedBy = (draft: Draft) => {
  const projects = new Map(draft.returned);
  const away = new Map<number, number>();
  const cleared: number[] = [];
  const touch = (projectId: number, at: number) =>
    projects.set(projectId, Math.max(at, projects.get(projectId) ?? 0));
  const concerns = (alarm: ActiveAlarm) => isAway(alarm.code) && alarm.lineId > 0 && !alarm.late;
  const found = [
    ...draft.raises.map(({ alarm }) => alarm),
    ...draft.steps.filter(({ kind }) => kind === 'released').map(({ alarm }) => alarm),
  ];
  for (const alarm of new Set(found)) {
    if (!concerns(alarm) || alarm.projectId === null || alarm.clearedAt !== null) continue;
    away.set(alarm.deviceId, Math.min(alarm.raisedAt, away.get(alarm.deviceId) ?? alarm.raisedAt));
    if (alarm.parent === null) touch(alarm.projectId, alarm.lastAt);
  }
  for (const alarm of draft.touched) {
    if (!concerns(alarm) || alarm.projectId === null || alarm.clearedAt === null) continue;
    cleared.push(alarm.id);
    touch(alarm.projectId, alarm.clearedAt);
  }
  return { projects, away, cleared };
};

/**
 * Begins, updates and ends the outages that a draft concerns, in the group's transaction: the devices that
 * are away are read from the database, so that all nodes judge alike. Call it before the draft is written.
 */
export const applyOutages = async (batch: Batch, memory: AlarmMemory, draft: Draft): Promise<void> => {
  const { projects, away, cleared } = concernedBy(draft);
  if (projects.size === 0) return;
  const ids = [...projects.keys()].sort((a, b) => a - b);
  const rows = await batch.query<{ line_id: number }>(standingSql, [ids.map(projectLine)]);
  const standing = new Set(rows.map((row) => row.line_id));
  const devices = await devicesOf(batch, ids, cleared);
  for (const [projectId, at] of projects) {
    const known = devices.get(projectId) ?? [];
    const gone = known.flatMap((device): Away[] => {
      const since = device.at ?? away.get(device.id);
      return since === undefined ? [] : [{ deviceId: device.id, at: since }];
    });
    const outage = outageOver(memory, projectId);
    const roots = () => rootsOf(memory, known);
    if (outage === null) {
      const share = outageOf(gone, known.length);
      if (share && [...share.devices].some((id) => away.has(id)))
        begin(memory, draft, { projectId, at, share, known, roots: roots() });
      continue;
    }
    const left = standing.has(outage.lineId) ? outageLeft(gone, known.length, outage.raisedAt) : null;
    if (left?.fading && !fadingSince.has(outage)) fadingSince.set(outage, at);
    else if (!left?.fading) fadingSince.delete(outage);
    if (left === null || at - (fadingSince.get(outage) ?? at) >= outageFadesMs)
      end(memory, draft, outage, at);
    else {
      const joined = roots().filter((alarm) => belongsTo(memory, outage, alarm));
      for (const alarm of joined) draft.suppress(alarm, outage, at);
      const grown = left.share > (outage.peak ?? 0);
      if (joined.length > 0 || left.share !== outage.value)
        draft.repeat(
          outage,
          { at, receivedAt: at, value: left.share, threshold: beginsAbovePercent, unit: null },
          grown,
        );
    }
  }
};

/**
 * Active outage alarms of these devices that no alarm suppresses, including those of an outage that has
 * ended.
 */
const rootsOf = (memory: AlarmMemory, devices: readonly Device[]): ActiveAlarm[] =>
  devices.flatMap(({ id }) =>
    [...memory.activeOfDevice(id)].filter(
      (alarm) =>
        isAway(alarm.code) && !alarm.late && (alarm.parent === null || alarm.parent.clearedAt !== null),
    ),
  );

/**
 * A device that goes away long after an outage began has a separate problem, unless another of its alarms is part of
 * the outage.
 */
const belongsTo = (memory: AlarmMemory, outage: ActiveAlarm, alarm: ActiveAlarm): boolean =>
  alarm.raisedAt - outage.raisedAt <= joinsMs ||
  [...memory.activeOfDevice(alarm.deviceId)].some(({ parent }) => parent === outage);

const begin = (
  memory: AlarmMemory,
  draft: Draft,
  given: {
    projectId: number;
    at: number;
    share: OutageShare;
    known: readonly Device[];
    roots: readonly ActiveAlarm[];
  },
): void => {
  const { projectId, at, share } = given;
  const members = given.roots.filter((alarm) => share.devices.has(alarm.deviceId));
  const supply = members.filter((alarm) => alarm.code === supplyCode).length;
  const type = alarmTypeOf(2 * supply >= members.length ? supplyCode : linkCode);
  const parts = new Set(given.known.filter(({ id }) => share.devices.has(id)).map(({ partId }) => partId));
  const [part = null] = parts;
  const lineId = projectLine(projectId);
  if (!type) return;
  const line = {
    lineId,
    deviceId: 0,
    deviceLineId: lineId,
    deviceNumber: '',
    n: 0,
    type: 3 as const,
    projectId,
    partId: parts.size === 1 ? part : null,
    ratedCurrent: null,
    nominalVoltage: 0,
    thresholds: {},
    uploadSeconds: 0,
  };
  const outage = draft.raise(memory.line(lineId, lineId), {
    line,
    type,
    phase: 0,
    level: 2,
    severity,
    source: 'server',
    at: share.since,
    receivedAt: at,
    value: share.share,
    threshold: beginsAbovePercent,
    unit: null,
    latched: false,
    boot: null,
    snapshot: () => ({ devices: share.devices.size, in_service: share.inService }),
    original: null,
  });
  draft.write(outage).tags = ['project'];
  for (const alarm of members) draft.suppress(alarm, outage, at);
};

/** Ends the outage; each device that is still away gets a separate alarm. */
const end = (memory: AlarmMemory, draft: Draft, outage: ActiveAlarm, at: number): void => {
  draft.clear(memory.line(outage.lineId, outage.lineId), outage, at, 'cleared');
  for (const alarm of memory.active()) if (alarm.parent === outage) draft.release(alarm, at);
};
