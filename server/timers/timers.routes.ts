import type { SwitchAction } from '#contract/control.ts';
import { timerHazard } from '#contract/hazards.ts';
import { timerPermissions } from '#contract/permissions.ts';
import { timerSheet } from '#contract/timer-columns.ts';
import { timerEndpoints } from '#contract/timers.ts';
import { mustBeSafe, provesIdentity } from '#server/control/hazard.ts';
import { fault } from '#server/core/fault.ts';
import type { ProvePassword } from '#server/core/identity.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { defaultZone } from '#server/core/zone.ts';
import { heldMost, timerChanges } from './changes.ts';
import { timerStore } from './timers.store.ts';

interface TimerDeps {
  provePassword: ProvePassword;
}
/**
 * A timer switches with the permissions of its author, so a closing timer needs the same checks as a close.
 */
const mayTime = async (
  call: Call<{ password?: string | undefined; action: SwitchAction; enabled: boolean }>,
  { provePassword }: TimerDeps,
): Promise<void> => {
  const { body, caller } = call;
  if (!timerPermissions.every((permission) => caller.permissions.has(permission))) fault('permission.denied');
  const hazard = timerHazard({ action: body.action, en: body.enabled });
  // A tag on the line is checked when the timer runs; until then a timer in the device is sent disabled.
  await mustBeSafe(call, hazard, {
    deviceId: null,
    proved: hazard !== null && (await provesIdentity(call, provePassword)),
  });
};

export const timerRoutes = (serve: Serve, deps: TimerDeps): void => {
  serve(timerEndpoints.list, ({ db, caller, body, now, language }) =>
    timerStore(db).list(caller.scope, body, now, language),
  );
  serve(timerEndpoints.export, (call) => {
    const { db, caller, body, now, language } = call;
    const rows = everyRow((at) =>
      timerStore(db).list(caller.scope, { ...body, ...at, sort: 'timer_id' }, now, language),
    );
    return sendTable(call, timerSheet, rows, body.project_id);
  });
  serve(timerEndpoints.preview, ({ db, caller, body, now, language }) =>
    timerStore(db).preview(caller.scope, body, now, language),
  );
  serve(timerEndpoints.runs, ({ db, caller, body, language }) =>
    timerStore(db).runs(caller.scope, body, language),
  );
  serve(timerEndpoints.read, ({ db, caller, body, now, language }) =>
    timerStore(db).one(caller.scope, body.timer_id, now, language),
  );
  serve(timerEndpoints.add, async (call) => {
    const { db, caller, body, now, language, emit, note } = call;
    await mayTime(call, deps);
    const { id, place } = await timerChanges(db).add(caller.scope, caller.userId, body, now);
    note({ ...place, timer_id: id });
    emit('timer.changed', { deviceId: place.deviceId });
    return timerStore(db).one(caller.scope, id, now, language);
  });
  serve(timerEndpoints.edit, async (call) => {
    const { db, caller, body, now, language, emit, note } = call;
    await mayTime(call, deps);
    const before = await timerStore(db).one(caller.scope, body.timer_id, now, language);
    const place = await timerChanges(db).edit(caller.scope, caller.userId, body, now);
    if (!place) return fault('thing.changed', { data: before });
    const { type, date, time, action, enabled, run_by, w1, w2, w3, w4, w5, w6, w7 } = before;
    const days = [w1, w2, w3, w4, w5, w6, w7].map(Number).join('');
    note({ ...place, before: { type, date, time, action, enabled, run_by, days } });
    emit('timer.changed', { deviceId: place.deviceId });
    return timerStore(db).one(caller.scope, body.timer_id, now, language);
  });
  serve(timerEndpoints.remove, async ({ db, caller, body, now, emit, note }) => {
    const { deviceIds, projectOf, results } = await timerChanges(db).remove(
      caller.scope,
      body.timer_ids,
      now,
    );
    note({
      projects: [...Map.groupBy(results, ({ id }) => projectOf.get(id) ?? null)].map(([projectId, own]) => ({
        projectId,
        timer_ids: own.map(({ id }) => id),
        results: own,
      })),
    });
    for (const deviceId of deviceIds) emit('timer.changed', { deviceId });
    return { results };
  });
  serve(timerEndpoints.lines, async ({ db, caller, body }) => {
    const device = await db
      .selectFrom('devices')
      .leftJoin('projects', 'projects.id', 'devices.project_id')
      .select(['devices.id', 'devices.number', 'devices.caps', 'projects.time_zone'])
      .where('devices.id', '=', body.device_id)
      .where(notDeleted('devices'))
      .where(inScope(caller.scope, 'devices.project_id', 'devices.part_id'))
      .executeTakeFirst();
    if (!device) return fault('device.missing');
    const lines = await db
      .selectFrom('lines')
      .leftJoin('timers', 'timers.line_id', 'lines.id')
      .select(({ fn }) => [
        'lines.id as line_id',
        'lines.n',
        'lines.name',
        'lines.critical',
        fn.count<number>('timers.id').as('timers'),
        fn.count<number>('timers.slot').as('held'),
      ])
      .where('lines.device_id', '=', device.id)
      .where('lines.n', '>', 0)
      .where('lines.switchable', '=', true)
      .groupBy('lines.id')
      .orderBy('lines.n')
      .execute();
    return {
      device_id: device.id,
      number: device.number,
      time_zone: device.time_zone ?? defaultZone,
      held_most: heldMost(device.caps),
      held: lines.reduce((sum, line) => sum + line.held, 0),
      lines: lines.map(({ held: _, ...line }) => line),
    };
  });
};
