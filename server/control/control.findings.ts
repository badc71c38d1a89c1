import { isFresh } from '#contract/freshness.ts';
import { switchingTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import type { PositionChange } from '#server/core/bus.ts';
import type { GroupFinding, LineRef } from '#server/core/group.ts';
import { lineRefOf } from './control.facts.ts';
import { type Flip, isExplained } from './control.flips.ts';

/** Alarm codes: a command that was answered and not carried out; a move that nobody asked for. */
const switchingFailed = 703;
const uncommandedMove = 704;
const alarmLevel = 2;
/** Causes that the device names when neither a command, a timer, a trip nor a quota moved the line. */
const byHand: readonly PositionChange['cause'][] = ['manual'];

export type RaiseFinding = (finding: GroupFinding) => Promise<void>;

export type ControlFindings = ReturnType<typeof controlFindings>;
export const controlFindings = (db: Db, raise: RaiseFinding) => {
  const tell = async (
    code: number,
    lineId: number,
    about: { active: boolean; value: number | null; at: number },
  ) => {
    const line = await lineRefOf(db, lineId);
    if (line) await raise({ line, code, level: alarmLevel, ...about });
  };
  const uncommanded = (line: LineRef, { position, at }: { position: number; at: number }) =>
    raise({ line, code: uncommandedMove, level: alarmLevel, active: true, value: position, at });
  return {
    mismatch: (lineId: number, position: number | null, at: number) =>
      tell(switchingFailed, lineId, { active: true, value: position, at }),

    /** A verified command ends what earlier ones on the line left behind. */
    async verified(lineId: number, position: number, at: number): Promise<void> {
      const standing = await db
        .selectFrom('alarms')
        .select('code')
        .where('line_id', '=', lineId)
        .where('code', 'in', [switchingFailed, uncommandedMove])
        .where('cleared_at', 'is', null)
        .execute();
      for (const { code } of new Map(standing.map((row) => [row.code, row])).values())
        await tell(code, lineId, { active: false, value: position, at });
    },

    /** Raises for a move by hand, or by a command that is not ours. Told late, it is history and pops up nowhere. */
    async moved(move: PositionChange, isOurs: (commandId: string) => Promise<boolean>, now: number) {
      const asked = move.cause === 'cmd' && move.commandId !== null && (await isOurs(move.commandId));
      if (asked || !(move.cause === 'cmd' || byHand.includes(move.cause))) return;
      const line = await lineRefOf(db, move.lineId);
      if (line && isFresh(move.at, now, line.uploadSeconds)) await uncommanded(line, move);
    },

    /** Raises for a line whose readings show another position, and nothing says why. After a gap nobody knows. */
    async flipped(flip: Flip): Promise<void> {
      const line = await lineRefOf(db, flip.lineId);
      if (!line || !switchingTypes.includes(line.type)) return;
      if (!isFresh(flip.since, flip.at, line.uploadSeconds) || (await isExplained(db, flip))) return;
      await uncommanded(line, flip);
    },
  };
};
