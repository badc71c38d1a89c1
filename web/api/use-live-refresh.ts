import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Endpoint } from '#contract/endpoint.ts';
import type { LiveEvent, LiveEventName } from '#contract/live.ts';
import { listenLive } from './live.ts';
import { keyOf } from './query.ts';

/**
 * Fetches the endpoints' queries again when one of the live events comes: at once, then at most once per `everyMs`.
 * `when` narrows to the events that matter here.
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
    let last = Number.NEGATIVE_INFINITY;
    const run = () => {
      timer = undefined;
      last = performance.now();
      for (const endpoint of latest.current.endpoints)
        void client.invalidateQueries({ queryKey: keyOf(endpoint) }, { cancelRefetch: false });
    };
    const stop = listenLive(({ name, data }) => {
      if (!latest.current.names.includes(name) || latest.current.when?.(data) === false) return;
      timer ??= window.setTimeout(run, Math.max(0, last + everyMs - performance.now()));
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client, everyMs]);
};
