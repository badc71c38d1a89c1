import { expect, it } from 'vitest';
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { lineChannels } from '#contract/telemetry.ts';
import { alarmChannel, isComparable } from './channel.ts';

it('the chart of an arc alarm shows half-cycles per second with the limits', () => {
  const code = alarmCodes.seriesArc;
  const channel = lineChannels[5][alarmChannel(5, code, 0)]!;
  expect(channel).toBe('arcH');
  const alarm = { code, value_type: alarmTypeOf(code)!.valueType, unit: null };
  expect(isComparable(channel, alarm)).toBe(true);
  expect(isComparable(channel, { ...alarm, unit: '1/h' })).toBe(false);
});
