import { expect, it } from 'vitest';
import { nextToSend, type Wish } from './settings.rules.ts';

const wish = (kind: Wish['kind'], key: string, value: unknown): Wish => ({ kind, place: 0, key, value });
const buzzer = wish('enable', 'buzzer', true);
const netControl = wish('enable', 'net_ctrl', true);
const reclose = wish('enable', 'auto_reclose', true);
const rest = wish('enable', 'auto_reclose', false);

it.each([
  ['all of them when nothing holds any back', [buzzer, reclose], true, false, [buzzer, reclose]],
  ['only remote control while that is disabled', [buzzer, netControl], false, false, [netControl]],
  ['all of them while remote control is disabled and stays so', [buzzer], false, false, [buzzer]],
  ['auto-reclose off first under a lock-out tag', [buzzer, netControl, rest], false, true, [rest]],
  ['what endangers nobody under a lock-out tag', [buzzer, reclose], true, true, [buzzer]],
  ['what the tag will refuse, so that the reason is shown', [reclose], true, true, [reclose]],
] as const)('sends %s', (_, missing, netCtrl, tagged, going) => {
  expect(nextToSend(missing, { netCtrl, tagged }, {})).toEqual(going);
});
