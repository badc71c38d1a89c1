import { channelRange, type DeviceType, deviceTypes, lineChannels } from '#contract/telemetry.ts';

/** Where a value of the wire goes: a slot of the channel array, or a group of named values below. */
export interface LayoutNode {
  index: number;
  min: number;
  max: number;
  children: Layout | null;
}
export type Layout = { [key: string]: LayoutNode | undefined };

const newLayout = (): Layout => Object.create(null) as Layout;

const layoutOf = (channels: readonly string[]): Layout => {
  const root = newLayout();
  channels.forEach((channel, index) => {
    const steps = channel.split('.');
    const quantity = steps.find((step) => step in channelRange);
    const [min, max] = channelRange[quantity ?? ''] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const leaf = steps.pop() ?? channel;
    let layout = root;
    for (const step of steps) {
      const node = layout[step] ?? { index: -1, min, max, children: newLayout() };
      layout[step] = node;
      layout = node.children ?? root;
    }
    layout[leaf] = { index, min, max, children: null };
  });
  return root;
};

/** Per device type, from the names on the wire to the place in `readings.channels`. */
export const layouts = Object.fromEntries(
  deviceTypes.map((type) => [type, layoutOf(lineChannels[type])]),
) as Record<DeviceType, Layout>;
