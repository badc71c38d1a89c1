import { alarmCodes } from '#contract/alarm-codes.ts';
import type { Db } from '#database/connect.ts';
import type { GroupFinding, LineRef } from '#server/core/group.ts';
import { lineRefOf } from '#server/core/line-ref.ts';

/** Alarm codes: 703, a command was answered but not carried out; 704, a line moved without a command. */
const switchingFailed = alarmCodes.switchingFailed;
const uncommandedMove = alarmCodes.uncommandedMove;
const alarmLevel = 2;

export type RaiseFinding = (finding: GroupFinding) => Promise<void>;

export type ControlFindings = ReturnType<typeof controlFindings>;
export const controlFindings = (db: Db, raise: RaiseFinding) => {
  const raiseOrClear = async (
    code: number,
    lineId: number,
    about: { active: boolean; value: number | null; at: number },
  ) => {
    const line = await lineRefOf(db, lineId);
    if (line) await raise({ line, code, level: alarmLevel, ...about });
  };
  return {
    /** An alarm for every such move, because each is a separate episode. */
    uncommanded: (line: LineRef, { position, at }: { position: number; at: number }) =>
      raise({ line, code: uncommandedMove, level: alarmLevel, active: true, value: position, at }),
    mismatch: (lineId: number, position: number | null, at: number) =>
      raiseOrClear(switchingFailed, lineId, { active: true, value: position, at }),

    /** A verified command ends the alarms of earlier commands on the line. */
    async verified(lineId: number, position: number, at: number): Promise<void> {
      const standing = await db
        .selectFrom('alarms')
        .select('code')
        .where('line_id', '=', lineId)
        .where('code', 'in', [switchingFailed, uncommandedMove])
        // Readings end the alarms that readings raised.
        .where('phase', '=', 0)
        .where('cleared_at', 'is', null)
        // Later alarms are about events after the command.
        .where('raised_at', '<=', new Date(at))
        .execute();
      for (const { code } of new Map(standing.map((row) => [row.code, row])).values())
        await raiseOrClear(code, lineId, { active: false, value: position, at });
    },
  };
};
