/** Judges the lines of a trial, some calls after each other, so that its progress is seen and it can be left. */
import { whatIfEndpoints } from '#contract/what-if.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { batchesOf, type Judged, type Trial } from './trial.ts';

/** As many as the server judges at once. */
const lanes = 2;
const tooMany = 429;
const invalid = 422;
const usualWaitSeconds = 5;

const wait = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = window.setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });

export interface Progress {
  onJudged: (lines: readonly Judged[]) => void;
  signal: AbortSignal;
}
/** Throws what the server refuses; ends early when it is left. */
export const runTrial = async (
  { typeNumber, key, value, days }: Trial,
  lineIds: readonly number[],
  { onJudged, signal }: Progress,
): Promise<void> => {
  const queue = batchesOf(lineIds);
  const judge = async (line_ids: number[]): Promise<void> => {
    try {
      const body = { line_ids, typeNumber, key, value, days };
      const { lines } = await call(whatIfEndpoints.replay, body, { signal, quiet: true });
      onJudged(lines);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Fault)) throw error;
      // Others try something at the same time: theirs comes first.
      if (error.status === tooMany) await wait(error.retryAfterSeconds ?? usualWaitSeconds, signal);
      const isHeavy = error.status === invalid && Object.keys(error.fields).length === 0;
      if (error.status === tooMany) queue.unshift(line_ids);
      else if (isHeavy && line_ids.length > 1)
        queue.unshift(...batchesOf(line_ids, Math.ceil(line_ids.length / 2)));
      else throw error;
    }
  };
  const lane = async () => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) await judge(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};
