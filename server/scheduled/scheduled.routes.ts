import { scheduledEndpoints } from '#contract/scheduled.ts';
import { scheduledSheet } from '#contract/scheduled-columns.ts';
import { fault } from '#server/core/fault.ts';
import { askForRun } from '#server/core/scheduled.ts';
import type { Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import { scheduledRows } from './scheduled.store.ts';

export const scheduledRoutes = (serve: Serve): void => {
  serve(scheduledEndpoints.list, async ({ db, now }) => ({ list: await scheduledRows(db, now) }));
  serve(scheduledEndpoints.export, (call) =>
    sendTable(call, scheduledSheet, eachOf(scheduledRows(call.db, call.now))),
  );
  serve(scheduledEndpoints.run, async ({ db, body: { name }, now, emit }) => {
    await askForRun(db, name, now);
    emit('scheduled.asked', { name });
    const rows = await scheduledRows(db, now);
    return rows.find((row) => row.name === name) ?? fault('scheduled.missing');
  });
};
