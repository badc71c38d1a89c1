import { alarmTypeSheet } from '#contract/alarm-type-columns.ts';
import { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import { pageOfShort } from '#contract/endpoint.ts';
import { mustBeSafeForAll, provesIdentity } from '#server/control/hazard.ts';
import type { ProvePassword } from '#server/core/identity.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import { alarmTypeStore } from './alarm-types.store.ts';
import { defaultThresholds } from './default-thresholds.ts';

export const alarmTypeRoutes = (serve: Serve, deps: { provePassword: ProvePassword }): void => {
  serve(alarmTypeEndpoints.defaults, ({ body, caller, db }) =>
    defaultThresholds(db, caller.scope).read(body),
  );
  serve(alarmTypeEndpoints.setDefaults, async (call) => {
    const { body, caller, db, now, emit } = call;
    if (body.project_id === undefined) needsEveryProject(caller.scope);
    const proved = await provesIdentity(call, deps.provePassword);
    const mayWeaken = (limits: readonly string[]) =>
      mustBeSafeForAll(call, 'weakens', {
        concerned: { deviceTypes: [body.device_type], projectId: body.project_id ?? null, limits },
        proved,
      });
    const set = await defaultThresholds(db, caller.scope).write(
      body,
      { userId: caller.userId, now },
      mayWeaken,
    );
    emit('thresholds.changed', { projectId: set.project_id, deviceType: set.device_type });
    return set;
  });
  serve(alarmTypeEndpoints.list, async ({ body, db, language }) =>
    pageOfShort(await alarmTypeStore(db).list(body, language), body),
  );
  serve(alarmTypeEndpoints.export, async (call) => {
    const list = await alarmTypeStore(call.db).list(call.body, call.language);
    return sendTable(call, alarmTypeSheet, eachOf(list));
  });
  serve(alarmTypeEndpoints.setStatus, async (call) => {
    const { body, caller, db, now, emit } = call;
    needsEveryProject(caller.scope);
    const proved = await provesIdentity(call, deps.provePassword);
    const { typeNumber: code, enabled } = body;
    const { deviceTypes, wasEnabled } = await alarmTypeStore(db).one(code);
    await mustBeSafeForAll(call, wasEnabled && !enabled ? 'weakens' : null, {
      concerned: { deviceTypes, projectId: null, limits: null },
      proved,
    });
    await alarmTypeStore(db).setEnabled(code, enabled, now);
    emit('alarmType.changed', { code, enabled });
    return { typeNumber: code, status: enabled ? ('enabled' as const) : ('disabled' as const) };
  });
};
