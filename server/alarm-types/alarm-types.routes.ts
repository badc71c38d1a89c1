import { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import { pageOfShort } from '#contract/endpoint.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { alarmTypeStore } from './alarm-types.store.ts';
import { defaultThresholds } from './default-thresholds.ts';

export const alarmTypeRoutes = (serve: Serve): void => {
  serve(alarmTypeEndpoints.defaults, ({ body, caller, db }) =>
    defaultThresholds(db, caller.scope).read(body),
  );
  serve(alarmTypeEndpoints.setDefaults, async ({ body, caller, db, now, emit }) => {
    if (body.project_id === undefined) needsEveryProject(caller.scope);
    const set = await defaultThresholds(db, caller.scope).write(body, { userId: caller.userId, now });
    emit('thresholds.changed', { projectId: set.project_id, deviceType: set.device_type });
    return set;
  });
  serve(alarmTypeEndpoints.list, async ({ body, db, language }) => {
    const { list } = await alarmTypeStore(db).list(body, language);
    return { total: list.length, list: pageOfShort(list, body) };
  });
  serve(alarmTypeEndpoints.setStatus, async ({ body, caller, db, now, emit }) => {
    needsEveryProject(caller.scope);
    const code = body.typeNumber;
    await alarmTypeStore(db).setEnabled(code, body.enabled, now);
    emit('alarmType.changed', { code, enabled: body.enabled });
    return { typeNumber: code, status: body.enabled ? ('enabled' as const) : ('disabled' as const) };
  });
};
