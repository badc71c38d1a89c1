import { useCallback, useEffect, useRef, useState } from 'react';
import { runTrial } from './run-trial.ts';
import type { Judged, Trial } from './trial.ts';

export interface TrialRun {
  trial: Trial;
  total: number;
  judged: readonly Judged[];
  state: 'running' | 'done' | 'cancelled' | 'failed';
  error: Error | null;
}
/** Runs one what-if at a time; a new one, or leaving the page, cancels the previous one. */
export const useTrial = () => {
  const [run, setRun] = useState<TrialRun | null>(null);
  const leave = useRef(new AbortController());
  useEffect(() => () => leave.current.abort(), []);

  const start = useCallback(async (trial: Trial, lineIds: readonly number[]) => {
    leave.current.abort();
    leave.current = new AbortController();
    const { signal } = leave.current;
    setRun({ trial, total: lineIds.length, judged: [], state: 'running', error: null });
    const change = (patch: (before: TrialRun) => Partial<TrialRun>) => {
      if (!signal.aborted) setRun((before) => before && { ...before, ...patch(before) });
    };
    try {
      await runTrial(trial, lineIds, {
        signal,
        onJudged: (lines) => change((before) => ({ judged: [...before.judged, ...lines] })),
      });
      change(() => ({ state: 'done' }));
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      change(() => ({ state: 'failed', error: failure }));
      leave.current.abort();
    }
  }, []);
  const cancel = useCallback(() => {
    leave.current.abort();
    setRun((before) => before && { ...before, state: 'cancelled' });
  }, []);
  return { run, start, cancel };
};
