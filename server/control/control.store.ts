import { sql } from 'kysely';
import type { AckMessage, CommandVerb } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange } from '#server/core/bus.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import type { Scope } from '#server/core/scope.ts';
import {
  askedPosition,
  type Change,
  type Command,
  clockErrorMs,
  openStates,
  type Place,
  provableVerbs,
  type Seen,
} from './states.ts';

export interface CommandRow extends Command {
  id: string;
  deviceId: number;
  lineId: number;
  number: number;
  parameters: Record<string, unknown>;
  batchId: string | null;
  userId: number | null;
  /** The device's project when it was asked for. */
  projectId: number | null;
  operator: string;
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
  projectId: number | null;
  operator: string;
  address: string;
  now: number;
  expiresAt: number;
  deadlineAt: number;
}

/** Commands that open lines to test them. */
const openingTests = ['leak_test', 'selftest', 'arc_test'];
/** Maximum difference between the times of a reading and an event of the same move, by one clock. */
const sameMoveMs = 5000;
/** A command from further in the future was requested before the server clock was set back. */
export const clockSetBackMs = 5000;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How long contacts may move after a command's expiry. */
const slackMs = 15_000;
type Move = Pick<PositionChange, 'deviceId' | 'lineId' | 'position' | 'at' | 'boot' | 'seq'>;
/**
 * In the units of the message. `at` is never later than the receipt; the time of a fast clock is kept
 * separately.
 */
type StoredSeen = Omit<Seen, 'at' | 'receivedAt'> & { at: string; received_at: string; device_at: string };
const written = ({ at, receivedAt, ...seen }: Seen): StoredSeen => ({
  at: new Date(Math.min(at, receivedAt)).toISOString(),
  received_at: new Date(receivedAt).toISOString(),
  device_at: new Date(at).toISOString(),
  ...seen,
});
const read = (evidence: Record<string, unknown> | null): Seen | null => {
  if (evidence === null || !('device_at' in evidence)) return null;
  const { at: _, received_at, device_at, ...seen } = evidence as unknown as StoredSeen;
  return { at: Date.parse(device_at), receivedAt: Date.parse(received_at), ...seen };
};

/** Code that writes many of these rows first locks them in the order of their lines. */
const holdLatest = (db: Db, lineIds: readonly number[]) =>
  db
    .selectFrom('line_latest')
    .select('line_id')
    .where(sql<boolean>`line_id = any(${lineIds}::int[])`)
    .orderBy('line_id')
    .forNoKeyUpdate()
    .execute();
const instant = (ms: number | null | undefined): string | null =>
  ms === undefined || ms === null ? null : new Date(ms).toISOString();
const placeOf = (boot: number | null, seq: number | null): Place | null =>
  boot === null || seq === null ? null : { boot, seq };

export const controlStore = (db: Db) => ({
  /**
   * Writes rows with their devices' next numbers; the caller has locked the devices' rows. A device refuses
   * old numbers, so the numbers follow the clock: a database restored from a backup must not fall behind.
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
    // One parameter, because many parameters are slow.
    await sql`
      insert into commands (id, device_id, line_id, number, verb, parameters, state, cause, batch_id, user_id, project_id,
        operator, address, created_at, expires_at, deadline_at)
      select id, "deviceId", "lineId", number, verb, parameters, 'created', cause, "batchId", "userId", "projectId", operator, address,
        at, expires_at, deadline_at
      from jsonb_to_recordset(${JSON.stringify(inserted)}::jsonb) as row (id uuid, "deviceId" int, "lineId" int,
        number bigint, verb text, parameters jsonb, cause text, "batchId" uuid, "userId" int, "projectId" int, operator text, address text,
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

  /** The commands by id, with their rows locked until the transaction ends. */
  async hold(ids: readonly string[]): Promise<Map<string, CommandRow>> {
    const rows = await db
      .selectFrom('commands')
      .selectAll('commands')
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('lines')
              .select('lines.id')
              .whereRef('lines.device_id', '=', 'commands.device_id')
              .where('lines.switchable', '=', true)
              .where((on) =>
                on.or([
                  on('lines.id', '=', on.ref('commands.line_id')),
                  on.exists(
                    on
                      .selectFrom('lines as itself')
                      .select('itself.id')
                      .whereRef('itself.id', '=', 'commands.line_id')
                      .where('itself.n', '=', 0),
                  ),
                ]),
              ),
          )
          .as('switches'),
      )
      .where(sql<boolean>`commands.id = any(${ids}::uuid[])`)
      .orderBy('commands.id')
      .forUpdate('commands')
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
          projectId: row.project_id,
          operator: row.operator,
          state: row.state,
          provable: provableVerbs.includes(row.verb) && Boolean(row.switches),
          newestAtSending: placeOf(row.newest_boot, row.newest_seq),
          moved:
            row.moved_at === null || row.moved_boot === null || row.moved_seq === null
              ? null
              : { at: row.moved_at.getTime(), boot: row.moved_boot, seq: row.moved_seq },
          skewMs: row.skew_ms,
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

  /** Applies changes to commands whose state has not changed since the decision; returns their ids. */
  async apply(moved: readonly { command: CommandRow; change: Change }[]): Promise<ReadonlySet<string>> {
    if (moved.length === 0) return new Set();
    const sets = moved.map(({ command, change }) => ({
      id: command.id,
      judged_in: command.state,
      state: change.state ?? null,
      gives_reason: change.reason !== undefined,
      gives_sent: change.sentAt !== undefined,
      reason: change.reason ?? null,
      sent_at: instant(change.sentAt),
      acknowledged_at: instant(change.acknowledgedAt),
      ended_at: instant(change.endedAt),
      deadline_at: instant(change.deadlineAt),
      newest_boot: change.newestAtSending?.boot ?? null,
      newest_seq: change.newestAtSending?.seq ?? null,
      skew_ms: change.skewMs ?? null,
      moved_at: instant(change.moved?.at),
      moved_boot: change.moved?.boot ?? null,
      moved_seq: change.moved?.seq ?? null,
      ack: change.ack,
      evidence:
        change.state === 'answered'
          ? (change.ack?.data ?? {})
          : change.seen
            ? written(change.seen)
            : undefined,
      late: change.late,
    }));
    const { rows } = await sql<{ id: string }>`
      update commands set state = coalesce(moved.state, commands.state),
        reason = case when moved.gives_reason then moved.reason else commands.reason end,
        sent_at = case when moved.gives_sent then moved.sent_at else commands.sent_at end,
        newest_boot = coalesce(moved.newest_boot, commands.newest_boot),
        newest_seq = coalesce(moved.newest_seq, commands.newest_seq),
        skew_ms = coalesce(moved.skew_ms, commands.skew_ms),
        moved_at = coalesce(commands.moved_at, moved.moved_at),
        moved_boot = coalesce(commands.moved_boot, moved.moved_boot),
        moved_seq = coalesce(commands.moved_seq, moved.moved_seq),
        acknowledged_at = coalesce(moved.acknowledged_at, commands.acknowledged_at),
        ended_at = coalesce(moved.ended_at, commands.ended_at),
        deadline_at = coalesce(moved.deadline_at, commands.deadline_at),
        ack = coalesce(moved.ack, commands.ack), evidence = coalesce(moved.evidence, commands.evidence),
        late = coalesce(moved.late, commands.late), revision = commands.revision + 1
      from jsonb_to_recordset(${JSON.stringify(sets)}::jsonb) as moved (id uuid, judged_in text, state text,
        gives_reason boolean, reason text, gives_sent boolean, sent_at timestamptz, newest_boot bigint,
        newest_seq bigint, skew_ms bigint, moved_at timestamptz, moved_boot bigint, moved_seq bigint, acknowledged_at timestamptz, ended_at timestamptz,
        deadline_at timestamptz, ack jsonb, evidence jsonb, late jsonb)
      where commands.id = moved.id and commands.state = moved.judged_in
      returning commands.id`.execute(db);
    // The newest command of a line records what its device acknowledged.
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

  /** Commands without an end: all, or those of a device. */
  open(deviceId?: number) {
    return db
      .selectFrom('commands')
      .select(['id', 'device_id', 'line_id', 'verb'])
      .where('state', 'in', openStates)
      .$if(deviceId !== undefined, (query) => query.where('device_id', '=', deviceId!))
      .execute();
  },
  /** Commands that are due, and those with a time in the future since the clock was set back. */
  due(now: number, limit: number) {
    return db
      .selectFrom('commands')
      .select(['id', 'deadline_at', 'created_at'])
      .where('state', 'in', openStates)
      .where((eb) =>
        eb.or([
          eb('deadline_at', '<=', new Date(now)),
          eb('created_at', '>', new Date(now + clockSetBackMs)),
        ]),
      )
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
  /**
   * Whether a command (or the one that the device names) caused this move of the line; records it as the one
   * move that the command explains. A command explains no move after a later one on its line was
   * acknowledged. A test that opens explains one move of each line.
   */
  async explain({ deviceId, lineId, position, at, boot, seq }: Move, id?: string): Promise<boolean> {
    if (id !== undefined && !uuidPattern.test(id)) return false;
    const { rows } = await sql`
      update commands set moved_at = coalesce(moved_at, ${new Date(at)}), moved_boot = coalesce(moved_boot, ${boot}),
        moved_seq = coalesce(moved_seq, ${seq})
      where id = (
        select c.id from commands c
        where c.device_id = ${deviceId} and c.sent_at <= ${new Date(at + clockErrorMs)}
          and c.expires_at >= ${new Date(at - slackMs)}
          and (${id ?? null}::uuid is null or c.id = ${id ?? null}::uuid)
          and (c.line_id = ${lineId} and c.verb = ${position === 1 ? 'close' : 'open'}
            or ${position === 0}::boolean and c.verb = any(${openingTests}))
          and (c.moved_at is null or c.verb = any(${openingTests})
            or c.moved_at between ${new Date(at - sameMoveMs)} and ${new Date(at + sameMoveMs)}
              and (${id ?? null}::uuid is not null or c.moved_boot = ${boot} and c.moved_seq = ${seq}))
          and not exists (
            select from commands later
            where later.line_id = c.line_id and later.number > c.number
              and (later.acknowledged_at < ${new Date(at - clockErrorMs)}
                or later.acknowledged_at < ${new Date(at + clockErrorMs)}
                  and ((later.ack->>'boot')::bigint, (later.ack->>'seq')::bigint) < (${boot}::bigint, ${seq}::bigint)))
        order by c.number desc limit 1)
      returning id`.execute(db);
    return rows.length > 0;
  },
  find(id: string, scope: Scope) {
    return db
      .selectFrom('commands')
      .innerJoin('devices', 'devices.id', 'commands.device_id')
      .selectAll('commands')
      .select(['devices.project_id', 'devices.part_id'])
      .where('commands.id', '=', id)
      .where(inOwnTime(scope, 'commands.device_id', 'commands.created_at'))
      .executeTakeFirst();
  },
});
