/** Judges the lines of a what-if in several calls, so that it has progress and can be cancelled. */
import { whatIfEndpoints } from '#contract/what-if.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { batchesOf, type Judged, type Trial } from './trial.ts';

/** The number of calls that the server processes at the same time. */
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

interface Progress {
  onJudged: (lines: readonly Judged[]) => void;
  signal: AbortSignal;
}
/** Throws the server's refusal; ends early if cancelled. */
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
      // Other users run one at the same time: wait for theirs.
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
