import { type MaintenanceRow, maintenanceEndpoints } from '#contract/maintenance.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { maintenanceChanges } from './changes.ts';
import { maintenanceSheet } from './export.ts';
import { maintenanceStore } from './maintenance.store.ts';

const noted = ({
  project_id,
  device_id,
  record_id,
}: {
  project_id: number;
  device_id: number | null;
  record_id: number;
}) => ({
  projectId: project_id,
  deviceId: device_id,
  record_id,
});

type Linked = Pick<MaintenanceRow, 'device_id' | 'lines'>;
/** An inspection allows a line to be closed after a trip: screens of the line, or its timers, load again. */
const reportLines = (emit: Call<unknown>['emit'], ...records: readonly Linked[]): void => {
  for (const { device_id, lines } of records)
    if (device_id !== null)
      for (const { line_id } of lines) emit('line.changed', { lineId: line_id, deviceId: device_id });
};

export const maintenanceRoutes = (serve: Serve): void => {
  serve(maintenanceEndpoints.list, ({ db, caller, body }) => maintenanceStore(db).list(caller.scope, body));
  serve(maintenanceEndpoints.read, ({ db, caller, body }) =>
    maintenanceStore(db).read(caller.scope, body.record_id),
  );
  serve(maintenanceEndpoints.export, (call) => {
    const { db, caller, body } = call;
    return sendTable(call, maintenanceSheet, maintenanceStore(db).every(caller.scope, body), body.project_id);
  });
  serve(maintenanceEndpoints.add, async ({ db, caller, body, now, note, emit }) => {
    const record = await maintenanceChanges(db).add(caller, body, now);
    note(noted(record));
    reportLines(emit, record);
    return record;
  });
  serve(maintenanceEndpoints.edit, async ({ db, caller, body, now, note, emit }) => {
    const { before, after } = await maintenanceChanges(db).edit(caller, body, now);
    note(noted(after));
    reportLines(emit, before, after);
    return after;
  });
  serve(maintenanceEndpoints.delete, async ({ db, caller, body, now, note, emit }) => {
    const record = await maintenanceChanges(db).delete(caller.scope, body.record_id, new Date(now));
    note({ ...noted(record), content: record.content });
    reportLines(emit, record);
    return {};
  });
};
