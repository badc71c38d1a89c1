import { alarmLogSheet } from '#contract/alarm-log-columns.ts';
import { alarmEndpoints } from '#contract/alarms.ts';
import { deliverySheet } from '#contract/delivery-words.ts';
import { whatIfEndpoints } from '#contract/what-if.ts';
import { clientLeft } from '#server/core/client-left.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import { alarmStore } from './alarms.store.ts';
import { alarmLog, everyLogged } from './event-log.ts';
import { alarmSheet } from './export.ts';
import { floodOf } from './flood.ts';
import { type Actor, deleteAlarms, handleAlarms, type Outcome, urgeAlarms } from './handle.ts';
import { shelveAlarms, unshelveAlarms } from './shelving.ts';
import { replayLines, triedLines } from './what-if/what-if.ts';

const actorOf = ({ caller, channel, now }: Call<unknown>): Actor => ({
  userId: caller.userId,
  scope: caller.scope,
  channel,
  now,
});

/** Emits the changes after the commit, and adds the ids and counts to the operation log of each project. */
const publish = (call: Call<unknown>, { reply, changes }: Outcome) => {
  const { done, skipped, denied } = reply;
  const projects = [...Map.groupBy(changes, ({ projectId }) => projectId)];
  call.note({
    done,
    skipped,
    denied,
    projects: projects.map(([projectId, own]) => ({
      projectId,
      ...(own.length === 1 ? { deviceId: own[0]!.deviceId } : {}),
      ...(reply.results.length > 1 ? { ids: own.map(({ alarmId }) => alarmId) } : {}),
      ...(projects.length > 1
        ? { done: own.length, skipped: undefined, denied: undefined, filter: undefined }
        : {}),
    })),
  });
  if (changes.length > 0) call.emit('alarms.changed', changes);
  return reply;
};

export const alarmRoutes = (serve: Serve): void => {
  serve(alarmEndpoints.list, ({ body, caller, db, now }) => alarmStore(db, now).list(body, caller.scope));
  serve(alarmEndpoints.export, (call) => {
    const { body, caller, db, now } = call;
    return sendTable(call, alarmSheet, alarmStore(db, now).every(body, caller.scope), body.project_id);
  });
  serve(alarmEndpoints.log, ({ body, caller, db }) => alarmLog(db, caller.scope, body));
  serve(alarmEndpoints.exportLog, (call) => {
    const { body, caller, db } = call;
    return sendTable(call, alarmLogSheet, everyLogged(db, caller.scope, body), body.project_id);
  });
  serve(alarmEndpoints.detail, ({ body, caller, db, now }) =>
    alarmStore(db, now).detail(body.id, caller.scope),
  );
  serve(alarmEndpoints.exportDeliveries, async (call) => {
    const { body, caller, db, now } = call;
    const { deliveries, project_id } = await alarmStore(db, now).detail(body.id, caller.scope);
    return sendTable(call, deliverySheet, eachOf(deliveries), project_id ?? undefined);
  });
  serve(alarmEndpoints.census, ({ body, caller, db, now }) => alarmStore(db, now).census(body, caller.scope));
  serve(alarmEndpoints.spread, ({ body, caller, db, now }) => alarmStore(db, now).spread(body, caller.scope));
  serve(alarmEndpoints.flood, ({ caller, db, now }) => floodOf(db, caller.scope, now));
  serve(alarmEndpoints.tips, ({ caller, db, now }) => alarmStore(db, now).tips(caller.scope));
  serve(alarmEndpoints.handle, async (call) =>
    publish(call, await handleAlarms(call.db, actorOf(call), { id: call.body.id }, call.body)),
  );
  serve(alarmEndpoints.batchHandle, async (call) =>
    publish(call, await handleAlarms(call.db, actorOf(call), call.body, call.body)),
  );
  serve(alarmEndpoints.urge, async (call) =>
    publish(call, await urgeAlarms(call.db, actorOf(call), call.body)),
  );
  serve(alarmEndpoints.shelve, async (call) =>
    publish(call, await shelveAlarms(call.db, actorOf(call), call.body)),
  );
  serve(alarmEndpoints.unshelve, async (call) =>
    publish(call, await unshelveAlarms(call.db, actorOf(call), call.body.ids)),
  );
  serve(alarmEndpoints.remove, async (call) =>
    publish(call, await deleteAlarms(call.db, actorOf(call), call.body)),
  );
};

export const whatIfRoutes = (serve: Serve, databaseUrl: string): void => {
  serve(whatIfEndpoints.lines, ({ db, caller, body }) => triedLines(db, caller.scope, body));
  serve(whatIfEndpoints.replay, ({ db, caller, body, now, reply }) =>
    replayLines(db, caller.scope, body, { databaseUrl, now, signal: clientLeft(reply) }),
  );
};
