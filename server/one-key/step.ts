import { sql } from 'kysely';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import type { Db } from '#database/connect.ts';
import type { Control } from '#server/control/commands.ts';
import { openedSince } from '#server/control/opened-since.ts';
import { type Account, accountOf } from '#server/core/account.ts';
import { createAfterCommit } from '#server/core/after-commit.ts';
import type { Bus } from '#server/core/bus.ts';
import { Fault } from '#server/core/fault.ts';
import { appendOperations, type Operation } from '#server/core/operation-log.ts';

type Answer = Awaited<ReturnType<Control['requestMany']>>[number];
export interface StepDeps {
  db: Db;
  bus: Bus;
  control: Pick<Control, 'requestMany'>;
}

interface Turn {
  now: number;
  limit: number;
  /** A batch without progress for this time is over: a server that was suspended closes nothing when it wakes. */
  silentMs: number;
}

const waiting = (trx: Db, batchId: string, { now, limit, silentMs }: Turn) =>
  trx
    .selectFrom('batch_lines as line')
    .innerJoin('batches', 'batches.id', 'line.batch_id')
    .innerJoin('users', 'users.id', 'batches.user_id')
    .selectAll('line')
    .select([
      'batches.action',
      'batches.user_id',
      'batches.operator',
      'batches.address',
      'batches.channel',
      'batches.request_id',
      'batches.created_at',
      'users.password_changed_at',
    ])
    .where('line.batch_id', '=', batchId)
    .where('line.state', '=', 'waiting')
    .where('batches.state', '=', 'running')
    .where((eb) =>
      eb.or([eb('batches.action', '=', 'open'), eb('batches.beat_at', '>', new Date(now - silentMs))]),
    )
    .orderBy('line.position')
    .limit(limit)
    .forUpdate('line')
    .skipLocked()
    .execute();

type Waiting = Awaited<ReturnType<typeof waiting>>[number];

/** Why nothing of the batch is asked for any more; null: the guard decides. Decision 0526. */
const stopOf = (line: Waiting, account: Account | null): FaultCode | null => {
  if (!account) return 'batch.author';
  const isChanged = line.password_changed_at.getTime() > line.created_at.getTime();
  return line.action === 'close' && isChanged ? 'batch.password' : null;
};

type Asked = { line: Waiting } & Pick<Answer, 'about' | 'refusal'> & {
    requested: { commandId: string } | null;
  };
/**
 * Asks the guard for the next lines of a batch, for its operator with the present permissions. Returns how
 * many it processed.
 */
export const stepBatch = async (
  { db, bus, control }: StepDeps,
  batchId: string,
  turn: Turn,
): Promise<number> => {
  const { now } = turn;
  const later = createAfterCommit(bus);
  const taken = await db.transaction().execute(async (trx) => {
    const lines = await waiting(trx, batchId, turn);
    const [first] = lines;
    if (!first) return 0;
    const account = await accountOf(trx, first.user_id);
    const stop = stopOf(first, account);
    const superseded = await openedSince(trx, lines, (line) => ({ after: line.after_number }));
    const going = lines.filter((line) => !superseded.has(line));
    const answers =
      account && !stop
        ? await control.requestMany(
            { db: trx, now, ...later },
            going.map((line) => ({
              deviceId: line.device_id,
              lineId: line.line_id,
              verb: line.action,
              cause: 'onekey',
              batchId,
              askedIn: line.project_id,
              by: { ...account, address: line.address, identityProved: true },
            })),
          )
        : [];
    const answerTo = new Map(going.map((line, index) => [line, answers[index]]));
    const asked = lines.map((line): Asked => {
      const refused = (code: FaultCode) => ({ about: {}, requested: null, refusal: new Fault(code) });
      if (stop) return { line, ...refused(stop) };
      return { line, ...(answerTo.get(line) ?? refused('control.superseded')) };
    });
    await sql`
      update batch_lines set state = asked.state, command_id = asked.command_id, reason = asked.reason,
        reason_with = asked.reason_with, at = ${new Date(now)}::timestamptz
      from unnest(${asked.map(({ line }) => line.position)}::int[],
        ${asked.map(({ requested }) => (stop ? 'not_sent' : requested ? 'requested' : 'refused'))}::text[],
        ${asked.map(({ requested }) => requested?.commandId ?? null)}::uuid[],
        ${asked.map(({ refusal }) => refusal?.code ?? null)}::text[],
        ${asked.map(({ refusal }) => JSON.stringify(refusal?.details.with ?? {}))}::jsonb[])
        as asked (position, state, command_id, reason, reason_with)
      where batch_lines.batch_id = ${batchId} and batch_lines.position = asked.position`.execute(trx);
    const operations = asked.map(({ line, about, refusal }): Operation => {
      const { projectId, deviceId: _, ...rest } = about;
      return {
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
      };
    });
    await appendOperations(trx, operations);
    return lines.length;
  });
  later.release();
  return taken;
};
