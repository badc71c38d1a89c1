import { firmwareEndpoints as endpoints } from '#contract/firmware.ts';
import { rolloutDeviceSheet, rolloutSheet, versionSheet } from '#contract/firmware-columns.ts';
import type { Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { type AddressOf, firmwareStore } from './firmware.store.ts';

/** Versions, rollouts and the devices of one as spreadsheets. */
export const firmwareExports = (serve: Serve, addressOf: AddressOf): void => {
  serve(endpoints.export, (call) => {
    const { db, caller, body } = call;
    const store = firmwareStore(db);
    const rows = everyRow((at) => store.versions(caller.scope, { ...body, ...at }, addressOf));
    return sendTable(call, versionSheet, rows);
  });
  serve(endpoints.exportRollouts, (call) => {
    const { db, caller, body, language } = call;
    const store = firmwareStore(db);
    const rows = everyRow((at) => store.rollouts(caller, { ...body, ...at, sort: 'created_at' }, language));
    return sendTable(call, rolloutSheet, rows);
  });
  serve(endpoints.exportDevices, async (call) => {
    const { db, caller, body, language } = call;
    const store = firmwareStore(db);
    await store.rollout(caller, body.rollout_id, language);
    const rows = everyRow((at) => store.devices(caller, { ...body, ...at }, language));
    return sendTable(call, rolloutDeviceSheet, rows);
  });
};
