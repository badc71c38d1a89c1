import { sql } from 'kysely';
import { lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange, StoredReading } from '#server/core/bus.ts';
import { judge, type Measured, type Position, type Verdict } from '#server/core/evidence.ts';
import { lineRefOf } from '#server/core/line-ref.ts';
import { positionOf } from '#server/core/position.ts';
import type { CommandRow } from './control.store.ts';
import { askedPosition, isLater, type Seen } from './states.ts';

/** One report of a line, with the facts that it contains itself. */
export type Report = Pick<
  StoredReading,
  'at' | 'receivedAt' | 'boot' | 'seq' | 'position' | 'trip' | 'channels'
>;

/**
 * A leakage test trips the line, and every conductor is then without current, as after an open. A reset ends the
 * latched trip and moves nothing.
 */
const verdictOnTrip = (verb: string, line: Measured, report: Report): Verdict => {
  const { position, trip } = report;
  if (verb !== 'leak_test')
    return trip === null || position === null ? 'silent' : trip === 0 ? 'agrees' : 'contradicts';
  const opened = judge(0, line, report);
  if (trip === 0 || opened === 'contradicts') return 'contradicts';
  return trip === null ? 'silent' : opened;
};
/** The position in which a move leaves the line if the command caused it; null: it causes none. */
const positionAfter = (verb: string): Position | null => (verb === 'leak_test' ? 0 : askedPosition(verb));

const seenIn = (command: CommandRow, line: Measured, report: Report): Seen => {
  const asked = askedPosition(command.verb);
  const values = lineChannels[line.type].flatMap((name, index) =>
    /(^|\.)([UIP]\.[abc]|I\.n|P\.t)$/.test(name) ? [[name, report.channels[index] ?? null] as const] : [],
  );
  return {
    source: 'reading',
    at: report.at,
    receivedAt: report.receivedAt,
    boot: report.boot,
    seq: report.seq,
    position: report.position,
    trip: report.trip,
    verdict: asked === null ? verdictOnTrip(command.verb, line, report) : judge(asked, line, report),
    values: Object.fromEntries(values),
  };
};

/**
 * What a reading shows about a command; null if no reading can prove it, or if the command needs more lines
 * than this one.
 */
export const seenInReading = async (
  db: Db,
  command: CommandRow,
  reading: Report & Pick<StoredReading, 'lineId'>,
): Promise<Seen | null> => {
  if (!command.provable) return null;
  if (reading.lineId !== command.lineId) return seenLatest(db, command);
  const line = await lineRefOf(db, command.lineId);
  return line && seenIn(command, line, reading);
};

const gravity: readonly Verdict[] = ['agrees', 'silent', 'contradicts'];
/** For a command to several lines: the most severe report of any line, with the age of the oldest. */
const together = (seen: readonly Seen[]): Seen | null => {
  const [oldest] = seen.toSorted((a, b) => (isLater(a, b) ? 1 : -1));
  const gravest = seen.toSorted((a, b) => gravity.indexOf(b.verdict) - gravity.indexOf(a.verdict))[0];
  return oldest && gravest
    ? { ...gravest, at: oldest.at, receivedAt: oldest.receivedAt, boot: oldest.boot, seq: oldest.seq }
    : null;
};

/**
 * What the newest stored reports show about the command's line, or about all switching lines of its device. A
 * position or a trip counts only if the newest report itself contains it.
 */
export const seenLatest = async (db: Db, command: CommandRow): Promise<Seen | null> => {
  if (!command.provable) return null;
  const rows = await db
    .selectFrom('lines')
    .leftJoin('line_latest', 'line_latest.line_id', 'lines.id')
    .select([
      'lines.id',
      'line_latest.at as measured_at',
      'line_latest.received_at',
      'line_latest.boot',
      'line_latest.seq',
      'line_latest.position',
      'line_latest.position_boot',
      'line_latest.position_seq',
      'line_latest.trip',
      'line_latest.trip_boot',
      'line_latest.trip_seq',
      'line_latest.channels',
    ])
    .where('lines.device_id', '=', command.deviceId)
    .where('lines.n', '>', 0)
    .where((eb) =>
      eb.or([
        eb('lines.id', '=', command.lineId),
        eb.and([
          eb('lines.switchable', '=', true),
          sql<boolean>`${command.lineId} = (select id from lines where device_id = ${command.deviceId} and n = 0)`,
        ]),
      ]),
    )
    .execute();
  const seen: Seen[] = [];
  for (const row of rows) {
    const line = await lineRefOf(db, row.id);
    if (
      !line ||
      row.measured_at === null ||
      row.received_at === null ||
      row.boot === null ||
      row.seq === null
    )
      return null;
    const ofReport = (boot: number | null, seq: number | null) => boot === row.boot && seq === row.seq;
    seen.push(
      seenIn(command, line, {
        at: row.measured_at.getTime(),
        receivedAt: row.received_at.getTime(),
        boot: row.boot,
        seq: row.seq,
        position: ofReport(row.position_boot, row.position_seq) ? positionOf(row.position) : null,
        trip: ofReport(row.trip_boot, row.trip_seq) ? row.trip : null,
        channels: row.channels ?? [],
      }),
    );
  }
  return together(seen);
};

/** A move that the command did not cause: it can contradict the command, never prove it. */
export const seenInMove = (command: CommandRow, move: PositionChange, receivedAt: number): Seen => ({
  source: 'event',
  at: move.at,
  receivedAt,
  boot: move.boot,
  seq: move.seq,
  position: move.position,
  trip: null,
  verdict: move.position === positionAfter(command.verb) ? 'silent' : 'contradicts',
  values: {},
});
