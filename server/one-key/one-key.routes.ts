import { randomUUID } from 'node:crypto';
import { batchSheet } from '#contract/command-words.ts';
import { oneKeyEndpoints } from '#contract/one-key.ts';
import { fault } from '#server/core/fault.ts';
import { isProved, type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import type { Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import type { Batches } from './batches.ts';
import { batchStore } from './one-key.store.ts';
import { type Planned, planOneKey, planReply } from './plan.ts';

interface OneKeyDeps {
  batches: Pick<Batches, 'run'>;
  provePassword: ProvePassword;
}
/** Pause between two closes, so that the inrush current of one has ended before the next. */
const closePaceMs = 300;

/** The number of skipped lines by reason. */
const reasonsOf = (plan: readonly Planned[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { reason } of plan) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
};

export const oneKeyRoutes = (serve: Serve, { batches, provePassword }: OneKeyDeps): void => {
  serve(oneKeyEndpoints.switch, async (call) => {
    const { body, caller, db, now, language } = call;
    const { action } = body;
    const proves = action === 'close' && !body.preview && body.password !== undefined;
    if (proves) await proveIdentity(call, provePassword, body.password!);
    const deviceIds = [...(body.device_id === undefined ? [] : [body.device_id]), ...(body.device_ids ?? [])];
    const plan = await planOneKey(db, caller, { deviceIds, lineIds: body.line_ids, action }, now);
    const reply = planReply(plan, action, language);
    const passwordNeeded = action === 'close' && (reply.to_switch > 1 || !(await isProved(call)));
    if (body.preview) return { ...reply, batch_id: null, password_needed: passwordNeeded };

    call.note({
      deviceId: deviceIds.length === 1 ? (deviceIds[0] ?? null) : null,
      projects: [...Map.groupBy(plan, ({ projectId }) => projectId)].map(([projectId, lines]) => {
        const skipped = lines.filter(({ reason }) => reason !== null).length;
        return {
          projectId,
          ...(body.device_ids && { device_ids: [...new Set(lines.map(({ deviceId }) => deviceId))] }),
          ...(body.line_ids && { line_ids: lines.map(({ lineId }) => lineId) }),
          to_switch: lines.length - skipped,
          skipped,
          skipped_because: reasonsOf(lines),
        };
      }),
    });
    if (reply.to_switch === 0) fault('batch.nothing', { data: { lines: reply.lines } });
    if (passwordNeeded && !proves) fault('control.passwordNeeded', { data: { reason: 'password_needed' } });
    const id = randomUUID();
    const paceMs = action === 'close' ? closePaceMs : 0;
    await batchStore(db).create(
      {
        id,
        action,
        paceMs,
        now,
        address: call.address,
        channel: call.channel,
        requestId: call.requestId,
        userId: caller.userId,
        operator: caller.username,
      },
      plan,
    );
    call.note({ batch_id: id });
    call.afterCommit(() => batches.run(id, paceMs));
    return { ...reply, batch_id: id, password_needed: false };
  });
  serve(oneKeyEndpoints.batch, ({ db, caller, body, language }) =>
    batchStore(db).view(caller.scope, body.batch_id, language),
  );
  serve(oneKeyEndpoints.exportBatch, async (call) => {
    const { lines } = await batchStore(call.db).view(call.caller.scope, call.body.batch_id, call.language);
    return sendTable(call, batchSheet, eachOf(lines));
  });
};
