import type { Line } from './lines.query.ts';

export interface Unmet {
  asked: 'open' | 'close';
  by: string | null;
  at: string;
  /** The device answered that it was done. */
  answered: boolean;
}
type Facts = Pick<
  Line,
  | 'state'
  | 'switched_at'
  | 'commanded'
  | 'commanded_at'
  | 'commanded_by'
  | 'acknowledged'
  | 'acknowledged_at'
  | 'pending'
>;

/** For so long it is news; later it is only how things are. */
export const newsMs = 24 * 3_600_000;

/**
 * What was asked last of a line and did not come about; null where it did, is under way, or something else moved the
 * line afterwards.
 */
export const unmetOf = (line: Facts): Unmet | null => {
  const { state, switched_at, commanded, commanded_at, acknowledged, acknowledged_at, pending } = line;
  if (pending || commanded === null || commanded_at === null) return null;
  if (state === 'unknown' || commanded === 'unknown' || commanded === state) return null;
  const askedAt = Date.parse(commanded_at);
  if (switched_at !== null && Date.parse(switched_at) > askedAt) return null;
  return {
    asked: commanded === 'open' ? 'open' : 'close',
    by: line.commanded_by,
    at: commanded_at,
    answered:
      acknowledged === commanded && acknowledged_at !== null && Date.parse(acknowledged_at) >= askedAt,
  };
};
