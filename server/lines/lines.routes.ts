import { pageOfShort } from '#contract/endpoint.ts';
import { lineTableEndpoints } from '#contract/line-table.ts';
import { lineTableSheet } from '#contract/line-table-columns.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { seriesRows, seriesSheet } from '#contract/reading-columns.ts';
import { mustBeSafe, mustBeSafeForAll, provesIdentity } from '#server/control/hazard.ts';
import type { ProvePassword } from '#server/core/identity.ts';
import type { Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import { lineAlarmTrend } from './alarms.ts';
import { lineChanges } from './changes.ts';
import { linesOfProject, orderedLines } from './line-table.ts';
import { lineInScope, lineStore } from './lines.store.ts';
import { nominalVoltageOf, setNominalVoltage } from './nominal-voltage.ts';
import { lineLog, lineSeries } from './readings.ts';
import { sparksOf } from './sparks.ts';

export const lineRoutes = (serve: Serve, deps: { provePassword: ProvePassword }): void => {
  serve(lineEndpoints.list, async ({ db, caller, body, now }) => {
    const { list } = await lineStore(db).list(caller.scope, body.device_id, now);
    return pageOfShort(list, body);
  });
  serve(lineTableEndpoints.table, async ({ db, caller, body, now }) => {
    const { rows, truncated } = await linesOfProject(db, caller.scope, body, now);
    const ordered = orderedLines(rows, body.sort);
    return { ...pageOfShort(ordered, body), truncated };
  });
  serve(lineTableEndpoints.exportTable, async (call) => {
    const { db, caller, body, now } = call;
    const { rows } = await linesOfProject(db, caller.scope, body, now);
    return sendTable(call, lineTableSheet, eachOf(orderedLines(rows)), body.project_id);
  });
  serve(lineEndpoints.detail, ({ db, caller, body, now }) =>
    lineStore(db).detail(caller.scope, body.line_id, now),
  );
  serve(lineEndpoints.sparks, ({ db, caller, body, now }) => sparksOf(db, caller.scope, body.device_id, now));
  serve(lineEndpoints.log, ({ db, caller, body }) => lineLog(db, caller.scope, body));
  serve(lineEndpoints.alarmTrend, ({ db, caller, body, now }) =>
    lineAlarmTrend(db, caller.scope, body.line_id, body.days, now),
  );
  serve(lineEndpoints.series, (call) => lineSeries(call, call.body));
  serve(lineEndpoints.exportSeries, async (call) => {
    const { db, caller, body } = call;
    const { project_id } = await lineInScope(db, caller.scope, body.line_id);
    const series = await lineSeries(call, body);
    return sendTable(call, seriesSheet(series), eachOf(seriesRows(series)), project_id ?? undefined);
  });
  serve(lineEndpoints.nominalVoltage, ({ db, caller, body }) => nominalVoltageOf(db, caller, body.device_id));
  serve(lineEndpoints.setNominalVoltage, async (call) => {
    const { db, caller, body, emit, note } = call;
    const proved = await provesIdentity(call, deps.provePassword);
    const { deviceId, projectId, before } = await setNominalVoltage(db, caller, body, {
      device: (id, hazard) => mustBeSafe(call, hazard, { deviceId: id, proved }),
      project: (concerned, hazard) => mustBeSafeForAll(call, hazard, { concerned, proved }),
    });
    note({ deviceId, projectId, before });
    if (body.take === 'project') {
      const { time_zone } = await db
        .selectFrom('projects')
        .select('time_zone')
        .where('id', '=', projectId)
        .executeTakeFirstOrThrow();
      emit('project.changed', { projectId: projectId!, timeZone: time_zone });
    } else emit('device.changed', { deviceId, what: 'record' });
    return { device_id: deviceId, nominal_voltage: body.take === 'neither' ? before : body.volts };
  });
  serve(lineEndpoints.change, async (call) => {
    const { db, caller, body, emit, note } = call;
    // Before the line's row is locked, because checking a password takes time.
    const proved = await provesIdentity(call, deps.provePassword);
    const { before, device_id, project_id, ...changed } = await lineChanges(db).change(
      caller,
      body,
      (deviceId, hazard) => mustBeSafe(call, hazard, { deviceId, proved }),
    );
    note({ deviceId: device_id, projectId: project_id, before });
    emit('line.changed', { lineId: changed.line_id, deviceId: device_id });
    return changed;
  });
};
