import { faults } from '#contract/faults/codes.ts';
import type { Db } from '#database/connect.ts';
import type { Control } from '#server/control/control.commands.ts';
import { accountOf } from '#server/core/account.ts';
import type { Bus } from '#server/core/bus.ts';
import { Fault } from '#server/core/fault.ts';
import { appendOperations, type Operation } from '#server/core/operation-log.ts';

export interface StepDeps {
  db: Db;
  bus: Bus;
  control: Pick<Control, 'request'>;
}

const waiting = (trx: Db, batchId: string, limit: number) =>
  trx
    .selectFrom('batch_lines as line')
    .innerJoin('batches', 'batches.id', 'line.batch_id')
    .selectAll('line')
    .select([
      'batches.action',
      'batches.user_id',
      'batches.operator',
      'batches.address',
      'batches.channel',
      'batches.request_id',
    ])
    .where('line.batch_id', '=', batchId)
    .where('line.state', '=', 'waiting')
    .where('batches.state', '=', 'running')
    .orderBy('line.position')
    .limit(limit)
    .forUpdate('line')
    .skipLocked()
    .execute();

/** Asks the guard for the next lines of a batch, on behalf of its operator as they stand now. Gives how many it took. */
export const stepBatch = async (
  { db, bus, control }: StepDeps,
  batchId: string,
  now: number,
  limit: number,
): Promise<number> => {
  const afterwards: (() => void)[] = [];
  const taken = await db.transaction().execute(async (trx) => {
    const lines = await waiting(trx, batchId, limit);
    const account = lines[0] ? await accountOf(trx, lines[0].user_id) : null;
    const operations: Operation[] = [];
    for (const line of lines) {
      const notes: Record<string, unknown> = {};
      const end = async (
        state: 'requested' | 'refused' | 'not_sent',
        about: { commandId?: string; refusal?: Fault },
      ) => {
        const { commandId = null, refusal } = about;
        await trx
          .updateTable('batch_lines')
          .set({
            state,
            command_id: commandId,
            reason: refusal?.code ?? null,
            reason_with: JSON.stringify(refusal?.details.with ?? {}),
            at: new Date(now),
          })
          .where('batch_id', '=', batchId)
          .where('position', '=', line.position)
          .execute();
        const { projectId, deviceId: _, ...rest } = notes;
        operations.push({
          at: new Date(now),
          userId: line.user_id,
          operator: line.operator,
          key: 'line.oneKeyLine',
          channel: line.channel,
          address: line.address,
          requestId: line.request_id,
          outcome: refusal ? 'refused' : 'done',
          code: refusal ? faults[refusal.code].code : 200,
          projectId: typeof projectId === 'number' ? projectId : null,
          deviceId: line.device_id,
          parameters: {
            batch_id: batchId,
            line_id: line.line_id,
            action: line.action,
            ...rest,
            ...(refusal ? { fault: refusal.code } : {}),
          },
        });
      };
      if (!account) {
        await end('not_sent', { refusal: new Fault('batch.author') });
        continue;
      }
      try {
        const { commandId } = await control.request(
          {
            db: trx,
            now,
            emit: (name, event) => afterwards.push(() => bus.emit(name, event)),
            afterCommit: (publish) => afterwards.push(publish),
            note: (about) => Object.assign(notes, about),
          },
          {
            deviceId: line.device_id,
            lineId: line.line_id,
            verb: line.action,
            cause: 'onekey',
            batchId,
            by: { ...account, address: line.address, identityProved: true },
          },
        );
        await end('requested', { commandId });
      } catch (error) {
        // The guard refuses before it writes: what the other lines wrote stands.
        if (!(error instanceof Fault)) throw error;
        await end('refused', { refusal: error });
      }
    }
    await appendOperations(trx, operations);
    return lines.length;
  });
  for (const run of afterwards) run();
  return taken;
};
