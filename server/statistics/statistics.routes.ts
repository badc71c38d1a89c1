import { statisticsEndpoints } from '#contract/statistics.ts';
import { correctionSheet } from '#contract/statistics-columns.ts';
import { displayName } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { holds } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { type Sheet, sendSpreadsheet } from '#server/core/spreadsheet.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { setSupplies } from '#server/lines/lines.store.ts';
import { rebuildLoad } from '#server/rollups/rebuild.ts';
import { correctEnergy, listCorrections, undoCorrection } from './corrections.ts';
import { electricity } from './electricity.ts';
import { type Asker, energyDetail } from './energy.ts';
import { electricitySheet, energySheet, loadSheet } from './export.ts';
import { loadStatistics } from './load.ts';
import { energySource } from './source.ts';
import { targetOf } from './target.ts';
import { listTariffs, removeTariff, saveTariff } from './tariffs.ts';

const askerOf = ({ db, caller, now }: Call<unknown>): Asker => ({ db, scope: caller.scope, now });
const correctorOf = ({ caller }: Call<unknown>) => ({
  scope: caller.scope,
  userId: caller.userId,
  name: displayName(caller),
});

const sendNamed = ({ reply }: Call<unknown>, { name, sheet }: { name: string; sheet: Sheet }) =>
  sendSpreadsheet(reply, name, sheet);

export const statisticsRoutes = (serve: Serve): void => {
  serve(statisticsEndpoints.energy, (call) => {
    const { page, limit, ...body } = call.body;
    return energyDetail(askerOf(call), body, { page, limit });
  });
  serve(statisticsEndpoints.source, (call) => energySource(askerOf(call), call.body));
  serve(statisticsEndpoints.energyExport, async (call) =>
    sendNamed(call, await energySheet(askerOf(call), call.body, call.language)),
  );
  serve(statisticsEndpoints.electricity, (call) => electricity(askerOf(call), call.body));
  serve(statisticsEndpoints.electricityExport, async (call) =>
    sendNamed(call, await electricitySheet(askerOf(call), call.body, call.language)),
  );
  serve(statisticsEndpoints.load, (call) => loadStatistics(askerOf(call), call.body));
  serve(statisticsEndpoints.loadExport, async (call) =>
    sendNamed(call, await loadSheet(askerOf(call), call.body, call.language)),
  );

  serve(statisticsEndpoints.corrections, ({ db, caller, body }) => listCorrections(db, caller.scope, body));
  serve(statisticsEndpoints.exportCorrections, (call) => {
    const { db, caller, body } = call;
    const rows = everyRow((at) => listCorrections(db, caller.scope, { ...body, ...at }));
    return sendTable(call, correctionSheet, rows, body.project_id);
  });
  serve(statisticsEndpoints.correct, async (call) => {
    const { row, projectId, deviceId } = await correctEnergy(call.db, correctorOf(call), call.body, call.now);
    call.note({ projectId, deviceId, before_kwh: row.before_kwh, after_kwh: row.after_kwh });
    return row;
  });
  serve(statisticsEndpoints.undo, async (call) => {
    const { row, projectId, deviceId } = await undoCorrection(
      call.db,
      correctorOf(call),
      call.body,
      call.now,
    );
    call.note({ projectId, deviceId, before_kwh: row.before_kwh, after_kwh: row.after_kwh });
    return row;
  });

  serve(statisticsEndpoints.incoming, async ({ db, caller, body, note }) => {
    const target = await targetOf(db, caller.scope, { line_id: body.line_id });
    // A line that supplies a whole project, now or until now, changes the figures of all its parts.
    const concerned = [body.supplies, target.lines[0]!.supplies];
    if (concerned.includes('project') && !holds(caller.scope, target.project_id, null))
      fault('permission.denied');
    await setSupplies(db, body.line_id, body.supplies === 'none' ? null : body.supplies);
    await rebuildLoad(db, target.lines[0]!.device_id);
    note({ projectId: target.project_id, deviceId: target.lines[0]!.device_id });
    return body;
  });

  serve(statisticsEndpoints.tariffs, ({ db, caller, body }) =>
    listTariffs(db, caller.scope, body.project_id),
  );
  serve(statisticsEndpoints.saveTariff, async ({ db, caller, body, now, note }) => {
    note({ projectId: body.project_id ?? null });
    return saveTariff(db, { scope: caller.scope, name: displayName(caller) }, body, new Date(now));
  });
  serve(statisticsEndpoints.removeTariff, async ({ db, caller, body, note }) => {
    const { id, project_id, valid_from } = await removeTariff(db, caller.scope, body.id);
    note({ projectId: project_id, valid_from });
    return { id };
  });
};
