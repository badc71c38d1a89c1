import { expect, test } from 'vitest';
import { type Line, withReading, withState } from './lines.query.ts';

const line = {
  state: 'closed',
  observed_at: '2026-11-21T12:00:00.000Z',
  stale: false,
  values_at: '2026-11-21T12:00:00.000Z',
  values_stale: false,
  energy: 1,
} as Line;
const reading = (at: string, state: 'closed' | 'open' | 'unknown') => ({
  device_id: 1,
  line_id: 1,
  at,
  state,
  trip: null,
  lock: null,
  energy: null,
  voltage: 230,
  current: 1,
  power: 230,
  leakage: null,
  values: {},
});

test('a reading without a position updates the values and lets the state become stale', () => {
  const after = withReading({ ...line, stale: true }, reading('2026-11-21T12:05:00.000Z', 'unknown'));
  expect(after).toMatchObject({
    state: 'closed',
    observed_at: line.observed_at,
    stale: true,
    values_at: '2026-11-21T12:05:00.000Z',
    voltage: 230,
  });
});

test('a reading older than a position report updates the values and not the position', () => {
  const moved = withState(line, {
    device_id: 1,
    line_id: 1,
    state: 'open',
    observed_at: '2026-11-21T12:10:00.000Z',
    switched_by: 'manual',
  });
  const after = withReading(moved, reading('2026-11-21T12:05:00.000Z', 'closed'));
  expect(after).toMatchObject({ state: 'open', observed_at: '2026-11-21T12:10:00.000Z', voltage: 230 });
  expect(withReading(after, reading('2026-11-21T12:04:00.000Z', 'closed'))).toBe(after);
});
