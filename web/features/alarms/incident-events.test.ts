import fc from 'fast-check';
import { expect, it } from 'vitest';
import { incidentEvents } from './incident-events.ts';

type Given = Parameters<typeof incidentEvents>[0];
const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 8, 0, second)).toISOString();
const given = (
  history: number[],
  commands: number[],
  deliveries: number[],
  consequences: number[],
): Given => ({
  history: history.map((second) => ({ at: at(second), kind: 'raised', operator: null, data: {} })),
  commands: commands.map((second, n) => ({
    command_id: `c${n}`,
    action: 'open',
    state: 'verified',
    reason: null,
    operator: 'Li Wei',
    created_at: at(second),
    ended_at: null,
  })),
  deliveries: deliveries.map((second, id) => ({ id, created_at: at(second) })) as Given['deliveries'],
  consequences: consequences.map((second, id) => ({ id, time: at(second) })) as Given['consequences'],
});
const seconds = fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 12 });

it('contains every event once, in the order of time', () => {
  fc.assert(
    fc.property(seconds, seconds, seconds, seconds, (...lists) => {
      const events = incidentEvents(given(...lists));
      expect(events).toHaveLength(lists.flat().length);
      expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
      const times = events.map((event) => event.at);
      expect(times).toEqual(times.toSorted());
    }),
  );
});

it('puts the alarm before its consequences at the same moment', () => {
  const events = incidentEvents(given([5], [5], [5], [5]));
  expect(events.map(({ kind }) => kind)).toEqual(['history', 'consequence', 'command', 'delivery']);
});
