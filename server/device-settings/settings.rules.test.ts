import { expect, it } from 'vitest';
import type { ConfigFacts } from '#server/control/config-message.ts';
import { nextToSend, type Wish } from './settings.rules.ts';

const wish = (kind: Wish['kind'], key: string, value: unknown): Wish => ({ kind, place: 0, key, value });
const buzzer = wish('enable', 'buzzer', true);
const netControl = wish('enable', 'net_ctrl', true);
const reclose = wish('enable', 'auto_reclose', true);
const rest = wish('enable', 'auto_reclose', false);

it.each([
  ['all of them when nothing holds any back', [buzzer, reclose], true, false, [buzzer, reclose]],
  [
    'remote control and harmless values while it is disabled',
    [buzzer, netControl, reclose],
    false,
    false,
    [buzzer, netControl],
  ],
  ['values that need remote control, so that the reason is shown', [reclose], false, false, [reclose]],
  ['auto-reclose off first under a lock-out tag', [buzzer, netControl, rest], false, true, [rest]],
  ['what endangers nobody under a lock-out tag', [buzzer, reclose], true, true, [buzzer]],
  ['what the tag will refuse, so that the reason is shown', [reclose], true, true, [reclose]],
] as const)('sends %s', (_, missing, netCtrl, tagged, going) => {
  const facts: ConfigFacts = {
    ...{
      bound: true,
      online: true,
      updating: false,
      stale: false,
      inFlight: false,
      base: 1,
      reported: null,
      locked: [],
    },
    ...{ netCtrl, tagged, uninspected: [] },
  };
  expect(nextToSend(missing, facts)).toEqual(going);
});

it('switches auto-reclose off first after a trip, and sends no value that may close before the inspection', () => {
  const facts: ConfigFacts = {
    ...{
      bound: true,
      online: true,
      updating: false,
      stale: false,
      inFlight: false,
      base: 1,
      reported: null,
      locked: [],
    },
    ...{ netCtrl: true, tagged: false, uninspected: [2] },
  };
  expect(nextToSend([buzzer, rest], facts)).toEqual([rest]);
  expect(nextToSend([buzzer, reclose], facts)).toEqual([buzzer]);
});
