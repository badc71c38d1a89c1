import type { ReplyOf } from '#contract/endpoint.ts';
import type { lineEndpoints } from '#contract/lines.ts';
import type { Tone } from '#web/parts/chart/look.ts';
import type { TimeModel, TimeSeries } from '#web/parts/chart/model.ts';
import type { Quantity } from './reading-search.ts';

export type Series = ReplyOf<typeof lineEndpoints.series>;

const phases = ['a', 'b', 'c', 'n'] as const;
/**
 * Phases have their own colours if the line has three and only one port; otherwise the palette distinguishes
 * the channels.
 */
const toneOf = (channel: string, all: readonly string[]): Tone | undefined => {
  const place = channel.split('.').at(-1);
  const ported = channel.startsWith('in.') || channel.startsWith('out.');
  const three = all.some((each) => each.endsWith('.b'));
  return ported || !three ? undefined : phases.find((phase) => phase === place);
};

/** The chart of one quantity of a line: raw channels, or the figures of minutes, hours or days. */
export const seriesModel = (
  series: Series,
  quantity: Quantity,
  unit: string,
  names: Readonly<Record<string, string>>,
): TimeModel => {
  const { at, values, channels, resolution, step_s } = series;
  const stepMs = step_s * 1000;
  const estimated = new Set(series.estimated);
  const of = (channel: string): TimeSeries => ({
    key: channel,
    name: names[channel] ?? channel,
    at,
    values: values[channel] ?? [],
    stepMs,
    tone: toneOf(channel, channels),
  });
  const energy = quantity === 'E' && resolution !== 'raw';
  const banded = channels.includes('power_avg');
  return {
    panels: [
      {
        unit,
        fromZero: quantity === 'P' || energy,
        series: banded
          ? [
              {
                ...of('power_avg'),
                band: { low: values['power_min'] ?? [], high: values['power_max'] ?? [] },
              },
            ]
          : channels.map((channel) => ({
              ...of(channel),
              ...(energy ? { shape: 'bar' as const, estimated: at.map((time) => estimated.has(time)) } : {}),
            })),
      },
    ],
  };
};
