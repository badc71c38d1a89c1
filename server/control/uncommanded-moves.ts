import { sql } from 'kysely';
import { isFresh } from '#contract/freshness.ts';
import { switchingTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange, StoredReading } from '#server/core/bus.ts';
import type { Position } from '#server/core/evidence.ts';
import { lineRefOf } from '#server/core/line-ref.ts';
import { positionOf } from '#server/core/position.ts';
import { controlStore } from './control.store.ts';
import type { ControlFindings } from './findings.ts';
import { causeIsPossible } from './move-causes.ts';
import type { Place } from './states.ts';

/** A line whose readings show a different position than earlier ones. */
export interface Flip extends Place {
  lineId: number;
  deviceId: number;
  position: Position;
  trip: number | null;
  at: number;
  /** When the line was last known in the other position. */
  since: number;
}
/** A move that a device reported in an event. */
export type Move = PositionChange & { receivedAt: number };

/** How long the device may take to send the event about a move. Source: domain reference §2.2, code 704. */
export const eventPatienceMs = 2000;
/** Maximum difference between the times of a reading and of the event about it. */
const slackMs = 5000;
const judgedAtOnce = 500;

/** Remembers the lines' positions, to detect changes without an event. */
export const createPositions = () => {
  const known = new Map<number, { position: Position; at: number }>();
  return {
    remember(lineId: number, position: Position, at: number): void {
      known.set(lineId, { position, at });
    },
    read({ lineId, deviceId, position, trip, at, boot, seq, latest }: StoredReading): Flip | null {
      if (!latest || position === null) return null;
      const before = known.get(lineId);
      if (before?.position !== position) known.set(lineId, { position, at });
      else before.at = at;
      return before && before.position !== position
        ? { lineId, deviceId, position, trip, at, boot, seq, since: before.at }
        : null;
    },
    moved({ lineId, position, at }: PositionChange): void {
      const before = known.get(lineId);
      if (!before || at >= before.at) known.set(lineId, { position, at });
    },
  };
};
export type Positions = ReturnType<typeof createPositions>;

/**
 * Raises alarm 704 for moves that neither a command, a timer, a trip, a quota nor auto-reclose can have made.
 * The judged position is stored after the alarm, so that a server killed in between judges the move again.
 */
export const uncommandedMoves = (db: Db, findings: ControlFindings) => {
  const judged = async ({ lineId, position, at, boot, seq }: Omit<Flip, 'deviceId' | 'trip' | 'since'>) => {
    await sql`
      insert into judged_positions as j (line_id, position, at, boot, seq)
      values (${lineId}, ${position}, ${new Date(at)}, ${boot}, ${seq})
      on conflict (line_id) do update set position = excluded.position, at = excluded.at, boot = excluded.boot,
        seq = excluded.seq`.execute(db);
  };
  const isExplained = async (flip: Flip): Promise<boolean> => {
    const { lineId, position, trip, since } = flip;
    if (position === 0 && trip) return true;
    const event = await db
      .selectFrom('position_events')
      .select('line_id')
      .where('line_id', '=', lineId)
      .where('position', '=', position)
      .where('at', '>=', new Date(since - slackMs))
      .limit(1)
      .executeTakeFirst();
    return event !== undefined || controlStore(db).explain(flip);
  };

  const moves = {
    /** Judges a move that was reported in time. A late report is history and causes no pop-up. */
    async moved(move: Move): Promise<void> {
      const { lineId, at, boot, seq, cause, commandId, receivedAt } = move;
      // Devices need not name the command: without a name it is found as for a move that only readings show.
      const isOurs = cause === 'cmd' && (await controlStore(db).explain(move, commandId ?? undefined));
      const line = await lineRefOf(db, lineId);
      const isNews = line !== null && isFresh(at, receivedAt, line.uploadSeconds);
      if (isNews && !isOurs && !(await causeIsPossible(db, move))) await findings.uncommanded(line, move);
      await db
        .updateTable('position_events')
        .set({ judged: true })
        .where('line_id', '=', lineId)
        .where('boot', '=', boot)
        .where('seq', '=', seq)
        .execute();
      await judged(move);
    },
    /**
     * Judges a line whose readings show a different position. After a gap in the readings the cause is
     * unknown.
     */
    async flipped(flip: Flip): Promise<void> {
      const line = await lineRefOf(db, flip.lineId);
      if (!line || !switchingTypes.includes(line.type)) return;
      const isKnown = isFresh(flip.since, flip.at, line.uploadSeconds);
      if (isKnown && !(await isExplained(flip))) await findings.uncommanded(line, flip);
      await judged(flip);
    },
    /** Judges moves that a killed server had stored but not judged, and loads the present positions. */
    async takeUp(positions: Positions): Promise<void> {
      for (let more = true; more; ) {
        const events = await unjudgedEvents(db);
        for (const event of events) await moves.moved(event);
        more = events.length === judgedAtOnce;
      }
      for (const flip of await unjudgedFlips(db)) await moves.flipped(flip);
      await sql`
        insert into judged_positions (line_id, position, at, boot, seq)
        select line_id, position, position_at, coalesce(position_boot, boot), coalesce(position_seq, seq)
        from line_latest where position is not null and position_at is not null order by line_id
        on conflict do nothing`.execute(db);
      const latest = await db
        .selectFrom('line_latest')
        .select(['line_id', 'position', 'position_at'])
        .where('position', 'is not', null)
        .execute();
      for (const { line_id, position, position_at } of latest)
        if (position_at) positions.remember(line_id, positionOf(position)!, position_at.getTime());
    },
  };
  return moves;
};

const unjudgedEvents = async (db: Db): Promise<Move[]> => {
  const rows = await db
    .selectFrom('position_events as event')
    .innerJoin('lines', 'lines.id', 'event.line_id')
    .selectAll('event')
    .select('lines.device_id')
    .where('event.judged', '=', false)
    .orderBy('event.line_id')
    .orderBy('event.at')
    .limit(judgedAtOnce)
    .execute();
  return rows.map((row) => ({
    lineId: row.line_id,
    deviceId: row.device_id,
    at: row.at.getTime(),
    boot: row.boot,
    seq: row.seq,
    position: row.position === 1 ? 1 : 0,
    cause: row.cause as PositionChange['cause'],
    code: row.code,
    commandId: row.command_id,
    receivedAt: (row.received_at ?? row.at).getTime(),
  }));
};

/** Lines whose newest report shows a different position than the last judged one. */
const unjudgedFlips = async (db: Db): Promise<Flip[]> => {
  const { rows } = await sql<{
    line_id: number;
    device_id: number;
    position: Position;
    trip: number | null;
    at: Date;
    boot: number;
    seq: number;
    since: Date | null;
  }>`
    select l.line_id, lines.device_id, l.position, l.trip, l.position_at as at, l.position_boot as boot,
      l.position_seq as seq,
      (select max(r.at) from readings r
        where r.line_id = l.line_id and r.at between j.at and l.position_at and r.position = j.position) as since
    from line_latest l join judged_positions j using (line_id) join lines on lines.id = l.line_id
    where l.position <> j.position and (l.position_boot, l.position_seq) > (j.boot, j.seq)
    order by l.line_id`.execute(db);
  return rows.map((row) => ({
    lineId: row.line_id,
    deviceId: row.device_id,
    position: row.position,
    trip: row.trip,
    at: row.at.getTime(),
    boot: row.boot,
    seq: row.seq,
    since: row.since?.getTime() ?? 0,
  }));
};
