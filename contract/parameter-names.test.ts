import { expect, it } from 'vitest';
import { channelUnit } from './parameter-names.ts';
import { deviceTypes, lineChannels } from './telemetry.ts';

it('only ratios and counters have no unit', () => {
  const channels = deviceTypes.flatMap((type) => lineChannels[type]);
  const bare = channels.filter((channel) => channelUnit(channel) === '');
  expect(new Set(bare.map((channel) => channel.replace(/^(in|out)\./, '').split('.')[0]))).toEqual(
    new Set(['PF', 'arc', 'sc']),
  );
});
