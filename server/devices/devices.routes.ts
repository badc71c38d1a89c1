import { commandSheet } from '#contract/command-words.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { endOfReplaced } from '#server/control/request.ts';
import type { DeviceChange } from '#server/core/bus.ts';
import { clientLeft } from '#server/core/client-left.ts';
import { createForeignNames } from '#server/core/foreign-names.ts';
import { createMemory, type Keep } from '#server/core/memory.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import type { BindParameters, ExpiryParameters } from './acts.ts';
import { deviceBulk } from './bulk.ts';
import { deviceChanges, placeFor } from './changes.ts';
import { panelCodes } from './codes.ts';
import { deviceInScope, deviceStore } from './devices.store.ts';
import { deviceEdits, formOf } from './edit.ts';
import { deviceSheet } from './export.ts';
import { commandHistory } from './history.ts';
import { importDevices } from './import.ts';
import { lookUpDevice, patrolDevices, searchDevices } from './lookup.ts';
import { actOnMany } from './many.ts';

/** Reads every device of the scope, so that simultaneous users share one query. */
const typeCounts: Keep = { freshMs: 2000, shownMs: 10_000 };

/** `publicUrl`: the address at which users reach the console; null: that of the request. */
export const deviceRoutes = (serve: Serve, publicUrl: string | null = null): void => {
  const remembered = createMemory();
  const foreign = createForeignNames();
  serve(deviceEndpoints.list, ({ db, caller, body, now }) => deviceStore(db).list(caller.scope, body, now));
  serve(deviceEndpoints.types, ({ db, caller, now }) =>
    remembered(JSON.stringify(caller.scope), typeCounts, now, () => deviceStore(db).types(caller.scope)),
  );
  serve(deviceEndpoints.map, ({ db, caller, body, now }) => deviceStore(db).map(caller.scope, body, now));
  serve(deviceEndpoints.codes, ({ db, caller, body, request }) =>
    panelCodes(db, caller.scope, body, publicUrl ?? `${request.protocol}://${request.host}`),
  );
  serve(deviceEndpoints.detail, ({ db, caller, body, now, language }) =>
    deviceStore(db).detail(caller.scope, body.device_id, now, language),
  );
  serve(deviceEndpoints.logs, ({ db, caller, body }) => commandHistory(db, caller.scope, body));
  serve(deviceEndpoints.exportLogs, async (call) => {
    const { db, caller, body } = call;
    const { project_id } = await deviceInScope(db, caller.scope, body.device_id);
    const rows = everyRow((at) => commandHistory(db, caller.scope, { ...body, ...at }));
    return sendTable(call, commandSheet, rows, project_id ?? undefined);
  });
  serve(deviceEndpoints.export, (call) => {
    const { db, caller, body, now } = call;
    return sendTable(call, deviceSheet, deviceStore(db).every(caller.scope, body, now), body.project_id);
  });
  serve(deviceEndpoints.add, async ({ db, caller, body, now, emit, note }) => {
    const at = new Date(now);
    const { project_id, ...added } = await deviceChanges(db).add(
      caller.scope,
      body,
      at,
      foreign(caller, now),
    );
    note({ deviceId: added.device_id, projectId: project_id });
    emit('device.changed', { deviceId: added.device_id, what: 'place' });
    return added;
  });
  serve(deviceEndpoints.resetSecret, async ({ db, now, caller, body, emit, note }) => {
    const { project_id, ...made } = await deviceChanges(db).resetSecret(caller.scope, body.device_id);
    await endOfReplaced({ db, now, emit }, made.device_id);
    note({ deviceId: made.device_id, projectId: project_id });
    emit('device.changed', { deviceId: made.device_id, what: 'record' });
    return made;
  });
  serve(deviceEndpoints.remove, (call) =>
    actOnMany(call, 'unbind', {}, (ids) =>
      deviceBulk(call.db).unbind(call.caller.scope, ids, new Date(call.now)),
    ),
  );

  serve(deviceEndpoints.form, async ({ db, caller, body }) =>
    formOf(await deviceInScope(db, caller.scope, body.device_id)),
  );
  serve(deviceEndpoints.change, async (call) =>
    noted(call, await deviceEdits(call.db).change(call.caller, call.body, new Date(call.now))),
  );
  serve(deviceEndpoints.contacts, async (call) => {
    const { contacts, ...changed } = await deviceEdits(call.db).contacts(call.caller.scope, call.body);
    return { ...noted(call, changed), contacts };
  });
  serve(deviceEndpoints.image, async (call) =>
    noted(call, await deviceEdits(call.db).image(call.caller, call.body)),
  );
  serve(deviceEndpoints.iccid, async (call) =>
    noted(call, await deviceEdits(call.db).iccid(call.caller.scope, call.body)),
  );
  serve(deviceEndpoints.expiry, (call) => {
    const { expires_on } = call.body;
    return actOnMany(call, 'expiry', { expires_on } satisfies ExpiryParameters, (ids) =>
      deviceBulk(call.db).expiry(call.caller.scope, ids, expires_on),
    );
  });
  serve(deviceEndpoints.bind, async (call) => {
    const { db, caller, body, now } = call;
    const to: BindParameters = { project_id: body.project_id, part_id: body.part_id };
    call.note({ projectId: to.project_id });
    await placeFor(db, caller.scope, to);
    return actOnMany(call, 'bind', to, (ids) => deviceBulk(db).bind(caller.scope, ids, to, new Date(now)));
  });
  serve(deviceEndpoints.delete, (call) =>
    actOnMany(call, 'delete', {}, (ids) =>
      deviceBulk(call.db).delete(call.caller.scope, ids, new Date(call.now)),
    ),
  );
  serve(deviceEndpoints.search, ({ db, caller, body }) => searchDevices(db, caller.scope, body));
  serve(deviceEndpoints.info, ({ db, caller, body }) => lookUpDevice(db, caller.scope, body));
  serve(deviceEndpoints.patrol, ({ db, caller, body, now }) => patrolDevices(db, caller.scope, body, now));
  serve(deviceEndpoints.import, async ({ db, caller, body, now, language, emit, note, reply }) => {
    const at = new Date(now);
    const { results, unread, added } = await importDevices(db, caller.scope, body, at, language, {
      signal: clientLeft(reply),
      foreign: foreign(caller, now),
    });
    note({ rows: undefined, text: undefined, added: added.length, refused: results.length - added.length });
    for (const deviceId of added) emit('device.changed', { deviceId, what: 'place' });
    return { preview: body.preview, added: added.length, results, unread };
  });
};

/** Logs one changed device and emits its event. */
const noted = (
  { note, emit }: Pick<Call<unknown>, 'note' | 'emit'>,
  {
    project_id,
    what,
    ...changed
  }: { device_id: number; revision: number; project_id: number | null; what: DeviceChange },
) => {
  note({ deviceId: changed.device_id, projectId: project_id });
  emit('device.changed', { deviceId: changed.device_id, what });
  return changed;
};
