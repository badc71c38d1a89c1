import { sql } from 'kysely';
import type { AckMessage } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { CommandRow } from './control.store.ts';
import { askedPosition, type Command, clockErrorMs, type TimedStimulus } from './states.ts';

export interface StoredAnswer {
  id: number;
  commandId: string;
  deviceId: number;
  receivedAt: number;
  ack: AckMessage;
}

/** The devices' messages about commands, as stored: they count even if no event about them arrived. */
export const answerStore = (db: Db) => ({
  /** Unprocessed answers in order of arrival. The caller must have locked the commands' rows. */
  async answers(commandIds: readonly string[]): Promise<StoredAnswer[]> {
    const rows = await db
      .selectFrom('command_answers')
      .selectAll()
      .where(sql<boolean>`command_id = any(${commandIds}::uuid[])`)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      commandId: row.command_id,
      deviceId: row.device_id,
      receivedAt: row.received_at.getTime(),
      ack: row.ack as unknown as AckMessage,
    }));
  },
  /** Deletes answers, in the transaction that writes their effect on the commands. */
  async take(answers: readonly StoredAnswer[]): Promise<void> {
    if (answers.length === 0) return;
    const ids = answers.map(({ id }) => id);
    await sql`delete from command_answers where id = any(${ids}::bigint[])`.execute(db);
  },
  /** Commands with unprocessed answers, oldest first. */
  async answered(limit: number): Promise<string[]> {
    const rows = await db
      .selectFrom('command_answers')
      .select('command_id')
      .groupBy('command_id')
      .orderBy((eb) => eb.fn.min('id'))
      .limit(limit)
      .execute();
    return rows.map((row) => row.command_id);
  },

  /** The first move of the command's line that its device attributed to the command. */
  async move(command: CommandRow): Promise<TimedStimulus | null> {
    const position = askedPosition(command.verb);
    if (!lacksAnswer(command) || position === null) return null;
    const row = await db
      .selectFrom('position_events')
      .select(['at', 'boot', 'seq', 'received_at'])
      .where('line_id', '=', command.lineId)
      .where('at', '>=', new Date(command.sentAt! - clockErrorMs))
      .where('command_id', '=', command.id)
      .where('position', '=', position)
      .where('received_at', 'is not', null)
      .orderBy('received_at')
      .executeTakeFirst();
    if (!row) return null;
    const place = { at: row.at.getTime(), boot: row.boot, seq: row.seq };
    return { stimulus: { kind: 'moved', position, place }, at: row.received_at!.getTime() };
  },
});

const lacksAnswer = ({ state, sentAt, acknowledgedAt }: Command): boolean =>
  (state === 'created' || state === 'sent') && sentAt !== null && acknowledgedAt === null;
