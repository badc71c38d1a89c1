type Position = 0 | 1;

/** A stored position: 1 closed, 0 open, null never reported. */
export const positionOf = (stored: number | null): Position | null =>
  stored === 0 || stored === 1 ? stored : null;

/** The API's word for a stored position. */
export const stateOf = (stored: number | null): 'closed' | 'open' | 'unknown' =>
  stored === 1 ? 'closed' : stored === 0 ? 'open' : 'unknown';
