import { sql } from 'kysely';
import type { AckMessage, CommandVerb } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
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

/** Commands that open lines to test them. */
const openingTests = ['leak_test', 'selftest', 'arc_test'];
/** What a device's clock may be off by, and what its contacts may take, around the life of a command. */
const slackMs = 15_000;
type Move = Pick<PositionChange, 'deviceId' | 'lineId' | 'position' | 'at'>;
/** Commands that went to the line's device and may have moved the line so, then. */
const mayHaveMoved = (db: Db, { deviceId, lineId, position, at }: Move) =>
  db
    .selectFrom('commands')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('sent_at', '<=', new Date(at + slackMs))
    .where('expires_at', '>=', new Date(at - slackMs))
    .where((eb) =>
      eb.or([
        eb.and([eb('line_id', '=', lineId), eb('verb', '=', position === 1 ? 'close' : 'open')]),
        eb.and([eb.val(position === 0), eb('verb', 'in', openingTests)]),
      ]),
    );
/** The instant both as the wire shows it and as the code counts it. */
type StoredSeen = Omit<Seen, 'at'> & { at: string };
const written = ({ at, ...seen }: Seen): StoredSeen => ({ at: new Date(at).toISOString(), ...seen });
const read = (evidence: Record<string, unknown> | null): Seen | null => {
  if (evidence === null || !('verdict' in evidence)) return null;
  const { at, ...seen } = evidence as unknown as StoredSeen;
  return { at: Date.parse(at), ...seen };
};

/** Whoever writes many of these rows holds them in the order of their lines first. */
const holdLatest = (db: Db, lineIds: readonly number[]) =>
  db
    .selectFrom('line_latest')
    .select('line_id')
    .where(sql<boolean>`line_id = any(${lineIds}::int[])`)
    .orderBy('line_id')
    .forNoKeyUpdate()
    .execute();
const instant = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

export const controlStore = (db: Db) => ({
  /**
   * Writes rows with their devices' next numbers; the caller holds the locks of the devices' rows. A device refuses
   * numbers it is past, so they follow the clock: a database restored from a backup must not fall behind.
   */
  async create(commands: readonly NewCommand[]): Promise<void> {
    if (commands.length === 0) return;
    const deviceIds = [...new Set(commands.map((command) => command.deviceId))];
    const { rows } = await sql<{ id: number; number: number | null }>`
      select asked.id, (select max(number) from commands where device_id = asked.id) as number
      from unnest(${deviceIds}::int[]) as asked (id)`.execute(db);
    const last = new Map(rows.map(({ id, number }) => [id, number ?? 0]));
    const numberOf = ({ deviceId, now }: Pick<NewCommand, 'deviceId' | 'now'>): number => {
      const number = Math.max((last.get(deviceId) ?? 0) + 1, Math.floor(now / 1000));
      last.set(deviceId, number);
      return number;
    };
    const inserted = commands.map(({ now, expiresAt, deadlineAt, ...command }) => ({
      ...command,
      number: numberOf({ deviceId: command.deviceId, now }),
      at: instant(now),
      expires_at: instant(expiresAt),
      deadline_at: instant(deadlineAt),
    }));
    // One parameter, because many are slow.
    await sql`
      insert into commands (id, device_id, line_id, number, verb, parameters, state, cause, batch_id, user_id, operator,
        address, created_at, expires_at, deadline_at)
      select id, "deviceId", "lineId", number, verb, parameters, 'created', cause, "batchId", "userId", operator, address,
        at, expires_at, deadline_at
      from jsonb_to_recordset(${JSON.stringify(inserted)}::jsonb) as row (id uuid, "deviceId" int, "lineId" int,
        number bigint, verb text, parameters jsonb, cause text, "batchId" uuid, "userId" int, operator text, address text,
        at timestamptz, expires_at timestamptz, deadline_at timestamptz)`.execute(db);
    const switched = commands.flatMap((command) => {
      const position = askedPosition(command.verb);
      return position === null
        ? []
        : [{ lineId: command.lineId, position, at: command.now, operator: command.operator }];
    });
    if (switched.length === 0) return;
    await holdLatest(
      db,
      switched.map((one) => one.lineId),
    );
    await sql`
      update line_latest set commanded = asked.position, commanded_at = asked.at, commanded_by = asked.operator
      from unnest(${switched.map((one) => one.lineId)}::int[], ${switched.map((one) => one.position)}::smallint[],
        ${switched.map((one) => new Date(one.at))}::timestamptz[], ${switched.map((one) => one.operator)}::text[])
        as asked (line_id, position, at, operator)
      where line_latest.line_id = asked.line_id`.execute(db);
  },

  /** The commands by id, their rows held until the transaction ends. */
  async hold(ids: readonly string[]): Promise<Map<string, CommandRow>> {
    const rows = await db
      .selectFrom('commands')
      .selectAll()
      .where(sql<boolean>`id = any(${ids}::uuid[])`)
      .orderBy('id')
      .forUpdate()
      .execute();
    return new Map(
      rows.map((row) => [
        row.id,
        {
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
        },
      ]),
    );
  },

  /** Applies changes to commands that are still in the state they were judged in; gives the ids of those. */
  async apply(moved: readonly { command: CommandRow; change: Change }[]): Promise<ReadonlySet<string>> {
    if (moved.length === 0) return new Set();
    const sets = moved.map(({ command, change }) => ({
      id: command.id,
      judged_in: command.state,
      state: change.state ?? null,
      gives_reason: change.reason !== undefined,
      reason: change.reason ?? null,
      sent_at: instant(change.sentAt),
      acknowledged_at: instant(change.acknowledgedAt),
      ended_at: instant(change.endedAt),
      deadline_at: instant(change.deadlineAt),
      ack: change.ack,
      evidence:
        change.state === 'verified' && askedPosition(command.verb) === null
          ? (change.ack?.data ?? {})
          : change.seen
            ? written(change.seen)
            : undefined,
      late: change.late,
    }));
    const { rows } = await sql<{ id: string }>`
      update commands set state = coalesce(moved.state, commands.state),
        reason = case when moved.gives_reason then moved.reason else commands.reason end,
        sent_at = coalesce(moved.sent_at, commands.sent_at),
        acknowledged_at = coalesce(moved.acknowledged_at, commands.acknowledged_at),
        ended_at = coalesce(moved.ended_at, commands.ended_at),
        deadline_at = coalesce(moved.deadline_at, commands.deadline_at),
        ack = coalesce(moved.ack, commands.ack), evidence = coalesce(moved.evidence, commands.evidence),
        late = coalesce(moved.late, commands.late), revision = commands.revision + 1
      from jsonb_to_recordset(${JSON.stringify(sets)}::jsonb) as moved (id uuid, judged_in text, state text,
        gives_reason boolean, reason text, sent_at timestamptz, acknowledged_at timestamptz, ended_at timestamptz,
        deadline_at timestamptz, ack jsonb, evidence jsonb, late jsonb)
      where commands.id = moved.id and commands.state = moved.judged_in
      returning commands.id`.execute(db);
    // The newest of a line's commands says what its device acknowledged.
    const answered = moved
      .filter(({ command, change }) => command.acknowledgedAt === null && change.acknowledgedAt !== undefined)
      .sort((a, b) => a.command.createdAt - b.command.createdAt)
      .flatMap(({ command, change }) => {
        const position = askedPosition(command.verb);
        return position === null ? [] : [{ command, position, at: change.acknowledgedAt! }];
      });
    const byLine = [...new Map(answered.map((one) => [one.command.lineId, one])).values()];
    if (byLine.length > 0) {
      await holdLatest(
        db,
        byLine.map((one) => one.command.lineId),
      );
      await sql`
        update line_latest set acknowledged = answered.position, acknowledged_at = answered.at
        from unnest(${byLine.map((one) => one.command.lineId)}::int[], ${byLine.map((one) => one.position)}::smallint[],
          ${byLine.map((one) => new Date(one.at))}::timestamptz[],
          ${byLine.map((one) => new Date(one.command.createdAt))}::timestamptz[])
          as answered (line_id, position, at, created_at)
        where line_latest.line_id = answered.line_id
          and (commanded_at is null or commanded_at <= answered.created_at)`.execute(db);
    }
    return new Set(rows.map((row) => row.id));
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
  /** Whether the command went to the line's device and may have moved the line so, then. */
  async explains(id: string, move: Move): Promise<boolean> {
    const row = await mayHaveMoved(db, move).where('id', '=', id).executeTakeFirst();
    return row !== undefined;
  },
  /** Whether any command may have moved the line so, then. */
  async asked(move: Move): Promise<boolean> {
    return (await mayHaveMoved(db, move).limit(1).executeTakeFirst()) !== undefined;
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
