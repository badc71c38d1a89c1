import { sheetNames } from '#contract/columns.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendSpreadsheet } from '#server/core/spreadsheet.ts';
import { zoneOf } from '#server/core/zone.ts';
import { deviceChanges } from './devices.changes.ts';
import { deviceSheet } from './devices.export.ts';
import { commandHistory } from './devices.history.ts';
import { deviceStore } from './devices.store.ts';

export const deviceRoutes = (serve: Serve): void => {
  serve(deviceEndpoints.list, ({ db, caller, body }) => deviceStore(db).list(caller.scope, body));
  serve(deviceEndpoints.types, ({ db, caller }) => deviceStore(db).types(caller.scope));
  serve(deviceEndpoints.detail, ({ db, caller, body }) =>
    deviceStore(db).detail(caller.scope, body.device_id),
  );
  serve(deviceEndpoints.logs, ({ db, caller, body }) => commandHistory(db, caller.scope, body));
  serve(deviceEndpoints.export, async ({ db, caller, body, language, reply }) => {
    const zone = await zoneOf(db, caller.scope, body.project_id);
    const sheet = deviceSheet(deviceStore(db).every(caller.scope, body), language, zone);
    return sendSpreadsheet(reply, sheetNames.devices[language], sheet);
  });
  serve(deviceEndpoints.add, async ({ db, caller, body, now, emit, note }) => {
    const { project_id, ...added } = await deviceChanges(db).add(caller.scope, body, new Date(now));
    note({ deviceId: added.device_id, projectId: project_id });
    emit('device.changed', { deviceId: added.device_id });
    return added;
  });
  serve(deviceEndpoints.resetSecret, async ({ db, caller, body, emit, note }) => {
    const { project_id, ...made } = await deviceChanges(db).resetSecret(caller.scope, body.device_id);
    note({ deviceId: made.device_id, projectId: project_id });
    emit('device.changed', { deviceId: made.device_id });
    return made;
  });
  serve(deviceEndpoints.remove, async ({ db, caller, body, emit, note }) => {
    const results = await deviceChanges(db).unbind(caller.scope, body.device_ids);
    note({ results });
    for (const { id, result } of results) if (result === 'done') emit('device.changed', { deviceId: id });
    return { results };
  });
};
