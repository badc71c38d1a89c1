import * as z from 'zod';
import { lineChannels } from '#contract/telemetry.ts';
import { optionalNumber } from '#web/parts/url-state.ts';

export const quantities = ['P', 'I', 'U', 'IL', 'T', 'E'] as const;
export type Quantity = (typeof quantities)[number];
export const units: Record<Quantity, string> = { P: 'W', I: 'A', U: 'V', IL: 'mA', T: '°C', E: 'kWh' };
export const ranges = ['1', '6', '24', '168', '720', '2160'] as const;
export type RangeHours = (typeof ranges)[number];

/** Line, quantity and range in hours of the readings chart, as in the address. */
export const readingSearch = z.object({
  line: optionalNumber,
  q: z.enum(quantities).catch('P'),
  hours: z.enum(ranges).catch('24'),
});

/** Channels of a quantity that a device type has, including both ports of a filter. */
export const channelsOf = (deviceType: number, quantity: Quantity): string[] => {
  const names = lineChannels[deviceType as keyof typeof lineChannels] ?? [];
  return quantity === 'E'
    ? ['E']
    : names.filter((name) => name.replace(/^(in|out)\./, '').split('.')[0] === quantity);
};
