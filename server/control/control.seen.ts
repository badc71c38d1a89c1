import { lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange, StoredReading } from '#server/core/bus.ts';
import { judge } from './control.evidence.ts';
import { lineRefOf, positionOf } from './control.facts.ts';
import { askedPosition, type Seen } from './control.life.ts';
import type { CommandRow } from './control.store.ts';

/** What a reading of the command's line says about the command; null when it switches nothing. */
export const seenInReading = async (
  db: Db,
  command: CommandRow,
  report: Pick<StoredReading, 'at' | 'boot' | 'seq' | 'position' | 'channels'>,
): Promise<Seen | null> => {
  const asked = askedPosition(command.verb);
  const line = asked === null ? null : await lineRefOf(db, command.lineId);
  if (asked === null || line === null) return null;
  const values = lineChannels[line.type].flatMap((name, index) =>
    /(^|\.)[UI]\.[abc]$/.test(name) ? [[name, report.channels[index] ?? null] as const] : [],
  );
  return {
    source: 'reading',
    at: report.at,
    boot: report.boot,
    seq: report.seq,
    position: report.position,
    verdict: judge(asked, line, report),
    values: Object.fromEntries(values),
  };
};

/** The newest reading on disk, for what was missed while nobody listened. */
export const seenLatest = async (db: Db, command: CommandRow): Promise<Seen | null> => {
  const row = await db
    .selectFrom('line_latest')
    .selectAll()
    .where('line_id', '=', command.lineId)
    .executeTakeFirst();
  if (!row) return null;
  return seenInReading(db, command, { ...row, at: row.at.getTime(), position: positionOf(row.position) });
};

/** A move that the command did not cause: it can speak against the command, never prove it. */
export const seenInMove = (command: CommandRow, move: PositionChange): Seen => ({
  source: 'event',
  at: move.at,
  boot: null,
  seq: null,
  position: move.position,
  verdict: move.position === askedPosition(command.verb) ? 'silent' : 'contradicts',
  values: {},
});
