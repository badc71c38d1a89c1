import type { Line } from './lines.query.ts';

interface Unmet {
  asked: 'open' | 'close';
  by: string | null;
  at: string;
  /** The device reported the request as done. */
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

/** For this time an unmet request is shown as news, later only as a state. */
export const newsMs = 24 * 3_600_000;

/**
 * The last request to a line that was not carried out. Null if it was carried out or is under way, or if
 * something else moved the line afterwards.
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
