import { type DeviceType, lineChannels } from '#contract/telemetry.ts';

const indexes = (type: DeviceType, pattern: RegExp): number[] =>
  lineChannels[type].flatMap((name, index) => (pattern.test(name) ? [index] : []));
const layout = (type: DeviceType) => ({
  voltage: indexes(type, /^(out\.)?U\.[abc]$/),
  current: indexes(type, /^(out\.)?I\.[abc]$/),
  power: indexes(type, /^(out\.)?P\.t$/),
  leakage: indexes(type, /^IL$/),
});
const layouts = Object.fromEntries(
  ([1, 2, 3, 4, 5, 6, 7] as const).map((type) => [type, layout(type)]),
) as Record<DeviceType, ReturnType<typeof layout>>;

const known = (channels: readonly (number | null)[], at: readonly number[]) =>
  at.flatMap((index) => channels[index] ?? []);

/**
 * One figure each for the lists: mean voltage and highest current of the phases (for a filter: of its
 * output), W, mA.
 */
export const summaryOf = (type: DeviceType, channels: readonly (number | null)[]) => {
  const { voltage, current, power, leakage } = layouts[type];
  const volts = known(channels, voltage);
  const amperes = known(channels, current);
  return {
    voltage: volts.length ? volts.reduce((sum, value) => sum + value, 0) / volts.length : null,
    current: amperes.length ? Math.max(...amperes) : null,
    power: known(channels, power)[0] ?? null,
    leakage: known(channels, leakage)[0] ?? null,
  };
};
