import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { controlEndpoints } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { lineEndpoints } from '#contract/lines.ts';
import type { LiveEvent } from '#contract/live.ts';
import { useLive } from '#web/api/live.ts';
import { endpointQuery, patchAnswer, useReload } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { isBefore, newPosition } from '#web/values/line-ages.ts';

type Lines = ReplyOf<typeof lineEndpoints.list>;
export type Line = Lines['list'][number];
type Possible = ReplyOf<typeof controlEndpoints.possible>;
export type Action = Possible['actions'][number];

export const linesQuery = (deviceId: number) => endpointQuery(lineEndpoints.list, { device_id: deviceId });
const sparkEveryMs = 60_000;
export const sparksQuery = (deviceId: number) => ({
  ...endpointQuery(lineEndpoints.sparks, { device_id: deviceId }),
  refetchInterval: sparkEveryMs,
});
export const possibleQuery = (deviceId: number) =>
  endpointQuery(controlEndpoints.possible, { device_id: deviceId });
/** Loads what the panel of a device's lines shows. */
export const fetchLines = (client: QueryClient, deviceId: number): Promise<unknown> =>
  Promise.all([
    client.prefetchQuery(linesQuery(deviceId)),
    client.prefetchQuery(possibleQuery(deviceId)),
    client.prefetchQuery(sparksQuery(deviceId)),
  ]);

const temperatures = (values: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([channel, value]) =>
      channel.startsWith('T.') ? [[channel.slice(2), value]] : [],
    ),
  );

/** The line after a position report; a report older than the shown one changes nothing. */
export const withState = (line: Line, { state, observed_at, switched_by }: LiveEvent['line_state']): Line => {
  const position = newPosition(line, state, observed_at);
  return position ? { ...line, ...position, switched_at: observed_at, switched_by } : line;
};

/** The line after a reading; without a position in the reading the known one becomes stale. */
export const withReading = (line: Line, reading: LiveEvent['reading']): Line => {
  if (isBefore(reading.at, line.values_at)) return line;
  const { at, state, trip, lock, voltage, current, power, leakage, energy, values } = reading;
  const position = newPosition(line, state, at);
  return {
    ...line,
    ...position,
    // A reading does not contain the cause of a move, which comes with the event.
    ...(position && state !== line.state ? { switched_at: null, switched_by: null } : {}),
    values_at: at,
    values_stale: false,
    trip,
    lock,
    voltage,
    current,
    power,
    leakage,
    energy: energy ?? line.energy,
    values,
    temperatures: temperatures(values),
  };
};

/**
 * Keeps the visible lines of a device up to date: values in place at once, commands and interlocks shortly
 * after.
 */
export const useLiveLines = (deviceId: number): void => {
  const client = useQueryClient();
  const { queryKey } = linesQuery(deviceId);
  const patch = (lineId: number, change: (line: Line) => Line) =>
    patchAnswer<Lines>(client, queryKey, (known) => ({
      ...known,
      list: known.list.map((line) => (line.line_id === lineId ? change(line) : line)),
    }));
  useLive('line_state', (report) => {
    if (report.device_id === deviceId) patch(report.line_id, (line) => withState(line, report));
  });
  useLive('reading', (reading) => {
    if (reading.device_id === deviceId) patch(reading.line_id, (line) => withReading(line, reading));
  });
  useLiveRefresh(
    ['command', 'alarm', 'alarm_update', 'device_state', 'line_state', 'reading'],
    [controlEndpoints.possible],
    3000,
    (data) => 'device_id' in data && data.device_id === deviceId,
  );
  useLiveRefresh(
    ['command', 'alarm', 'alarm_update'],
    [lineEndpoints.list],
    250,
    (data) => 'device_id' in data && data.device_id === deviceId,
  );
};
/** Invalidates the lines and their possible acts, after a request to them. */
export const useLinesChanged = (): (() => void) => useReload(lineEndpoints.list, controlEndpoints.possible);

export interface LinesDevice {
  device_id: number;
  name: string;
  number: string;
  status: 'online' | 'offline';
  interval_seconds: number;
  project_id: number | null;
}
export interface Asked {
  line: Line;
  action: 'open' | 'close';
}
