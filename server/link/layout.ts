import {
  type ChannelLimits,
  channelSpan,
  type DeviceType,
  deviceTypes,
  limitsOf,
  lineChannels,
} from '#contract/telemetry.ts';

/** Target of a message value: a slot of the channel array, or a group of named values below. */
export interface LayoutNode {
  index: number;
  limits: ChannelLimits;
  children: Layout | null;
}
export type Layout = { [key: string]: LayoutNode | undefined };

const newLayout = (): Layout => Object.create(null) as Layout;

const layoutOf = (channels: readonly string[]): Layout => {
  const root = newLayout();
  channels.forEach((channel, index) => {
    const steps = channel.split('.');
    const limits = limitsOf(steps.find((step) => step in channelSpan) ?? '');
    const leaf = steps.pop() ?? channel;
    let layout = root;
    for (const step of steps) {
      const node = layout[step] ?? { index: -1, limits, children: newLayout() };
      layout[step] = node;
      layout = node.children ?? root;
    }
    layout[leaf] = { index, limits, children: null };
  });
  return root;
};

/** By device type: from message names to the index in `readings.channels`. */
export const layouts = Object.fromEntries(
  deviceTypes.map((type) => [type, layoutOf(lineChannels[type])]),
) as Record<DeviceType, Layout>;
