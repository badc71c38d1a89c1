import { alarmTypeEndpoints } from '#contract/alarm-types.ts';
import type { Serve } from '#server/core/serve.ts';
import { alarmTypeStore } from './alarm-types.store.ts';

export const alarmTypeRoutes = (serve: Serve): void => {
  serve(alarmTypeEndpoints.list, ({ body, db, language }) => alarmTypeStore(db).list(body, language));
  serve(alarmTypeEndpoints.setStatus, async ({ body, db, now, emit }) => {
    const code = body.typeNumber;
    await alarmTypeStore(db).setEnabled(code, body.enabled, now);
    emit('alarmType.changed', { code, enabled: body.enabled });
    return { typeNumber: code, status: body.enabled ? ('enabled' as const) : ('disabled' as const) };
  });
};
