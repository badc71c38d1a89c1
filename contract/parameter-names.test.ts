import { expect, it } from 'vitest';
import { channelParts, channelUnit } from './parameter-names.ts';
import { deviceTypes, lineChannels } from './telemetry.ts';

it('only ratios and counters have no unit', () => {
  const channels = deviceTypes.flatMap((type) => lineChannels[type]);
  const bare = channels.filter((channel) => channelUnit(channel) === '');
  expect(new Set(bare.map((channel) => channelParts(channel).quantity))).toEqual(
    new Set(['PF', 'arc', 'sc']),
  );
});
