import type { Db } from '#database/connect.ts';
import type { PositionChange, StoredReading } from '#server/core/bus.ts';
import type { Position } from './control.evidence.ts';
import { controlStore } from './control.store.ts';

/** A line whose readings show another position than those before. */
export interface Flip {
  lineId: number;
  deviceId: number;
  position: Position;
  trip: number | null;
  at: number;
  /** When the line was last known to be in the other position. */
  since: number;
}

/** How long the device may take to tell why. Source: domain reference §2.2, code 704. */
export const flipPatienceMs = 2000;
/** By how much the times of a reading and of the event about it may differ. */
const slackMs = 5000;

/** Remembers the lines' positions, to notice those that change without a word. */
export const createFlips = () => {
  const known = new Map<number, { position: Position; at: number }>();
  return {
    read({ lineId, deviceId, position, trip, at, latest }: StoredReading): Flip | null {
      if (!latest || position === null) return null;
      const before = known.get(lineId);
      if (before?.position !== position) known.set(lineId, { position, at });
      else before.at = at;
      return before && before.position !== position
        ? { lineId, deviceId, position, trip, at, since: before.at }
        : null;
    },
    moved({ lineId, position, at }: PositionChange): void {
      const before = known.get(lineId);
      if (!before || at >= before.at) known.set(lineId, { position, at });
    },
  };
};

/** Whether a trip, an event of the device or a command says why the line moved. */
export const isExplained = async (
  db: Db,
  { lineId, deviceId, position, trip, at, since }: Flip,
): Promise<boolean> => {
  if (position === 0 && trip) return true;
  const told = await db
    .selectFrom('position_events')
    .select('line_id')
    .where('line_id', '=', lineId)
    .where('position', '=', position)
    .where('at', '>=', new Date(since - slackMs))
    .limit(1)
    .executeTakeFirst();
  return told !== undefined || controlStore(db).asked({ lineId, deviceId, position, at });
};
