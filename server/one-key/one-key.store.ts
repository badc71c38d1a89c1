import { sql } from 'kysely';
import type { SwitchAction } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { oneKeyEndpoints } from '#contract/one-key.ts';
import type { Db } from '#database/connect.ts';
import { openStates } from '#server/control/states.ts';
import { fault } from '#server/core/fault.ts';
import { seenFrom } from '#server/core/ownership.ts';
import { messageOf } from '#server/core/reason.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import type { Planned } from './plan.ts';

interface NewBatch {
  id: string;
  action: SwitchAction;
  userId: number;
  operator: string;
  address: string;
  channel: string;
  requestId: string;
  paceMs: number;
  now: number;
}
const openCommandStates: ReadonlySet<string> = new Set(openStates);
/** Placeholders for details that the reason of a device lacks. */
const unknownParts = { operator: '-', reason: '-', types: '-' };

export const batchStore = (db: Db) => ({
  async create(batch: NewBatch, plan: readonly Planned[]): Promise<void> {
    const at = new Date(batch.now);
    await db
      .insertInto('batches')
      .values({
        id: batch.id,
        action: batch.action,
        state: 'running',
        cause: 'onekey',
        user_id: batch.userId,
        operator: batch.operator,
        address: batch.address,
        channel: batch.channel,
        request_id: batch.requestId,
        pace_ms: batch.paceMs,
        created_at: at,
        beat_at: at,
        ended_at: null,
      })
      .execute();
    const newest = await db
      .selectFrom('commands')
      .select((eb) => ['device_id', eb.fn.max('number').as('number')])
      .where('device_id', '=', sql<number>`any(${[...new Set(plan.map(({ deviceId }) => deviceId))]}::int[])`)
      .groupBy('device_id')
      .execute();
    const newestOf = new Map(newest.map(({ device_id, number }) => [device_id, number]));
    await db
      .insertInto('batch_lines')
      .values(
        plan.map((line, position) => ({
          batch_id: batch.id,
          position,
          device_id: line.deviceId,
          line_id: line.lineId,
          state: line.reason === null ? ('waiting' as const) : ('skipped' as const),
          reason: line.reason,
          reason_with: JSON.stringify(line.with),
          command_id: null,
          at: line.reason === null ? null : at,
          after_number: newestOf.get(line.deviceId) ?? 0,
          project_id: line.projectId,
        })),
      )
      .execute();
  },

  /** A batch with the lines in the scope; throws `thing.missing` if there are none. */
  async view(scope: Scope, id: string, language: Language): Promise<ReplyOf<typeof oneKeyEndpoints.batch>> {
    const batch = await db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst();
    const rows = await db
      .selectFrom('batch_lines')
      .innerJoin('devices', 'devices.id', 'batch_lines.device_id')
      .innerJoin('lines', 'lines.id', 'batch_lines.line_id')
      .leftJoin('commands', 'commands.id', 'batch_lines.command_id')
      .selectAll('batch_lines')
      .select([
        'devices.number',
        'lines.n',
        'lines.name',
        'commands.state as command_state',
        'commands.reason as command_reason',
        'commands.ended_at',
      ])
      .where('batch_lines.batch_id', '=', id)
      .where(inScope(scope, 'devices.project_id', 'devices.part_id'))
      .where(sql<boolean>`${batch?.created_at ?? new Date(0)} >= ${seenFrom(scope, 'devices.id')}`)
      .orderBy('batch_lines.position')
      .execute();
    if (!batch || rows.length === 0) return fault('thing.missing');
    const lines = rows.map((row) => {
      const reason = row.command_reason === null ? row.reason : `control.${row.command_reason}`;
      return {
        device_id: row.device_id,
        device_number: row.number,
        line_id: row.line_id,
        n: row.n,
        name: row.name,
        state: row.command_state ?? row.state,
        reason,
        message: messageOf(reason, { ...unknownParts, ...row.reason_with }, language),
        command_id: row.command_id,
        at: (row.ended_at ?? row.at)?.toISOString() ?? null,
      };
    });
    const counts: Record<string, number> = {};
    for (const { state } of lines) counts[state] = (counts[state] ?? 0) + 1;
    const running = batch.state === 'running' || lines.some((line) => openCommandStates.has(line.state));
    const whole = lines.every((line) => line.state === 'verified' || line.state === 'skipped');
    return {
      batch_id: id,
      action: batch.action,
      state: running ? 'running' : whole ? 'done' : 'partial',
      interrupted: batch.state === 'interrupted',
      operator: batch.operator,
      created_at: batch.created_at.toISOString(),
      ended_at: batch.ended_at?.toISOString() ?? null,
      counts,
      lines,
    };
  },
});
