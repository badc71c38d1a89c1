import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Endpoint } from '#contract/endpoint.ts';
import type { LiveEvent, LiveEventName } from '#contract/live.ts';
import { listenLive } from './live.ts';
import { keyOf } from './query.ts';

/** A screen waits this multiple of the duration of an answer before its next call. */
const restParts = 4;
/** The longest wait before the next call, for slow answers. */
const longestRestMs = 5000;

/**
 * Loads the endpoints' queries again after one of the live events: at most once per `everyMs`, counted from
 * the start, when all data is new, and less often if answers take long, as in a storm. Events during a call
 * cause one more call after it. `when` limits the events.
 */
export const useLiveRefresh = (
  names: readonly LiveEventName[],
  endpoints: readonly Endpoint[],
  everyMs = 1000,
  when?: (data: LiveEvent[LiveEventName]) => boolean,
): void => {
  const client = useQueryClient();
  const latest = useRef({ names, endpoints, when });
  useEffect(() => {
    latest.current = { names, endpoints, when };
  });
  useEffect(() => {
    let timer: number | undefined;
    let begun = performance.now();
    let rest = everyMs;
    let underway = false;
    let again = false;
    let stopped = false;
    const plan = () => {
      if (underway) again = true;
      else timer ??= window.setTimeout(() => void run(), Math.max(0, begun + rest - performance.now()));
    };
    const run = async () => {
      timer = undefined;
      underway = true;
      again = false;
      begun = performance.now();
      await Promise.allSettled(
        latest.current.endpoints.map((endpoint) =>
          client.invalidateQueries({ queryKey: keyOf(endpoint) }, { cancelRefetch: false }),
        ),
      );
      const tookMs = performance.now() - begun;
      rest = Math.max(everyMs, tookMs + Math.min(restParts * tookMs, longestRestMs));
      underway = false;
      if (again && !stopped) plan();
    };
    const stop = listenLive(({ name, data }) => {
      if (!latest.current.names.includes(name) || latest.current.when?.(data) === false) return;
      plan();
    });
    return () => {
      stopped = true;
      stop();
      window.clearTimeout(timer);
    };
  }, [client, everyMs]);
};
