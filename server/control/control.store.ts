import type { Updateable } from 'kysely';
import type { AckMessage, CommandVerb } from '#contract/telemetry.ts';
import type { Db, Tables } from '#database/connect.ts';
import type { PositionChange } from '#server/core/bus.ts';
import { askedPosition, type Change, type Command, openStates, type Seen } from './control.life.ts';

export interface CommandRow extends Command {
  id: string;
  deviceId: number;
  lineId: number;
  number: number;
  parameters: Record<string, unknown>;
  batchId: string | null;
  userId: number | null;
  createdAt: number;
}
export interface NewCommand {
  id: string;
  deviceId: number;
  lineId: number;
  verb: CommandVerb;
  parameters: Record<string, unknown>;
  cause: string;
  batchId: string | null;
  userId: number | null;
  operator: string;
  address: string;
  now: number;
  expiresAt: number;
  deadlineAt: number;
}

/** The instant both as the wire shows it and as the code counts it. */
type StoredSeen = Omit<Seen, 'at'> & { at: string };
const written = ({ at, ...seen }: Seen): string =>
  JSON.stringify({ at: new Date(at).toISOString(), ...seen } satisfies StoredSeen);
const read = (evidence: Record<string, unknown> | null): Seen | null => {
  if (evidence === null || !('verdict' in evidence)) return null;
  const { at, ...seen } = evidence as unknown as StoredSeen;
  return { at: Date.parse(at), ...seen };
};

export const controlStore = (db: Db) => ({
  /**
   * Writes the row with the device's next number; the caller holds the lock of the device's row. A device refuses
   * numbers it is past, so they follow the clock: a database restored from a backup must not fall behind.
   */
  async create(command: NewCommand): Promise<void> {
    const last = await db
      .selectFrom('commands')
      .select((eb) => eb.fn.max('number').as('number'))
      .where('device_id', '=', command.deviceId)
      .executeTakeFirst();
    await db
      .insertInto('commands')
      .values({
        id: command.id,
        device_id: command.deviceId,
        line_id: command.lineId,
        number: Math.max((last?.number ?? 0) + 1, Math.floor(command.now / 1000)),
        verb: command.verb,
        parameters: JSON.stringify(command.parameters),
        state: 'created',
        reason: null,
        cause: command.cause,
        batch_id: command.batchId,
        user_id: command.userId,
        operator: command.operator,
        address: command.address,
        created_at: new Date(command.now),
        expires_at: new Date(command.expiresAt),
        deadline_at: new Date(command.deadlineAt),
        sent_at: null,
        acknowledged_at: null,
        ended_at: null,
      })
      .execute();
    const position = askedPosition(command.verb);
    if (position === null) return;
    await db
      .updateTable('line_latest')
      .set({
        commanded: position,
        commanded_at: new Date(command.now),
        commanded_by: command.operator,
      })
      .where('line_id', '=', command.lineId)
      .execute();
  },

  /** The command, its row held until the transaction ends. */
  async hold(id: string): Promise<CommandRow | null> {
    const row = await db
      .selectFrom('commands')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return null;
    return {
      id: row.id,
      deviceId: row.device_id,
      lineId: row.line_id,
      number: row.number,
      verb: row.verb as CommandVerb,
      parameters: row.parameters,
      batchId: row.batch_id,
      userId: row.user_id,
      state: row.state,
      createdAt: row.created_at.getTime(),
      sentAt: row.sent_at?.getTime() ?? null,
      acknowledgedAt: row.acknowledged_at?.getTime() ?? null,
      expiresAt: row.expires_at.getTime(),
      deadlineAt: row.deadline_at.getTime(),
      ack: row.ack as AckMessage | null,
      seen: read(row.evidence),
      noted: row.late !== null,
    };
  },

  /** Applies a change to a command that is still in the state it was judged in; false when it is not. */
  async apply(command: CommandRow, change: Change): Promise<boolean> {
    const set: Updateable<Tables['commands']> = {};
    if (change.state !== undefined) set.state = change.state;
    if (change.reason !== undefined) set.reason = change.reason;
    if (change.sentAt !== undefined) set.sent_at = new Date(change.sentAt);
    if (change.acknowledgedAt !== undefined) set.acknowledged_at = new Date(change.acknowledgedAt);
    if (change.endedAt !== undefined) set.ended_at = new Date(change.endedAt);
    if (change.deadlineAt !== undefined) set.deadline_at = new Date(change.deadlineAt);
    if (change.ack !== undefined) set.ack = JSON.stringify(change.ack);
    if (change.seen) set.evidence = written(change.seen);
    if (change.late !== undefined) set.late = JSON.stringify(change.late);
    if (change.state === 'verified' && askedPosition(command.verb) === null)
      set.evidence = JSON.stringify(change.ack?.data ?? {});
    const result = await db
      .updateTable('commands')
      .set((row) => ({ ...set, revision: row('revision', '+', 1) }))
      .where('id', '=', command.id)
      .where('state', '=', command.state)
      .executeTakeFirst();
    const position = askedPosition(command.verb);
    const answered = command.acknowledgedAt === null && change.acknowledgedAt !== undefined;
    if (position !== null && answered)
      await db
        .updateTable('line_latest')
        .set({ acknowledged: position, acknowledged_at: new Date(change.acknowledgedAt!) })
        .where('line_id', '=', command.lineId)
        .where((eb) =>
          eb.or([eb('commanded_at', 'is', null), eb('commanded_at', '<=', new Date(command.createdAt))]),
        )
        .execute();
    return result.numUpdatedRows === 1n;
  },

  open() {
    return db
      .selectFrom('commands')
      .select(['id', 'line_id', 'verb'])
      .where('state', 'in', openStates)
      .execute();
  },
  due(now: number, limit: number) {
    return db
      .selectFrom('commands')
      .select('id')
      .where('state', 'in', openStates)
      .where('deadline_at', '<=', new Date(now))
      .orderBy('deadline_at')
      .limit(limit)
      .execute();
  },
  async nextDeadline(): Promise<number | null> {
    const row = await db
      .selectFrom('commands')
      .select((eb) => eb.fn.min('deadline_at').as('at'))
      .where('state', 'in', openStates)
      .executeTakeFirst();
    return row?.at?.getTime() ?? null;
  },
  /** Whether the command went to the line's device and may have moved the line so. */
  async explains(
    id: string,
    move: Pick<PositionChange, 'deviceId' | 'lineId' | 'position'>,
  ): Promise<boolean> {
    const row = await db
      .selectFrom('commands')
      .select(['line_id', 'verb'])
      .where('id', '=', id)
      .where('device_id', '=', move.deviceId)
      .where('sent_at', 'is not', null)
      .executeTakeFirst();
    if (!row) return false;
    const asked = askedPosition(row.verb);
    return asked === null || (row.line_id === move.lineId && asked === move.position);
  },
  find(id: string) {
    return db
      .selectFrom('commands')
      .innerJoin('devices', 'devices.id', 'commands.device_id')
      .selectAll('commands')
      .select(['devices.project_id', 'devices.part_id'])
      .where('commands.id', '=', id)
      .executeTakeFirst();
  },
});
