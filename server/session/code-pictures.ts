import { Fault } from '#server/core/fault.ts';
import { runInWorker } from '#server/core/worker.ts';
import type { Code } from './captcha.ts';

const worker = new URL('./code-pictures.worker.ts', import.meta.url);
const batch = 20;
/** The next batch begins when at most this many are left. */
const fewLeft = 10;
/** Minimum time between two batches, which limits the cost of a flood of requests. */
const pauseMs = 2000;
const mostWaiting = 20;
const longestMs = 10_000;

interface Waiting {
  resolve(code: Code): void;
  reject(error: unknown): void;
}

/**
 * Codes as pictures, made in advance in a separate thread: rendering one takes about 20 ms, which would delay
 * devices. `next` throws `request.tooMany` if more are requested than can be made.
 */
export const createCodePictures = (): { next(): Promise<Code> } => {
  const ready: Code[] = [];
  const waiting: Waiting[] = [];
  let making = false;
  let isFirst = true;

  const make = async (): Promise<void> => {
    making = true;
    // The first caller waits for the first picture, so the first batch is one picture.
    const count = isFirst ? 1 : batch;
    isFirst = false;
    const began = performance.now();
    try {
      ready.push(
        ...(await runInWorker<Code[]>(worker, { count }, { cpuMilliseconds: longestMs, megabytes: 128 })),
      );
      while (waiting.length > 0 && ready.length > 0) waiting.shift()!.resolve(ready.shift()!);
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    }
    const pause = count === 1 ? 0 : Math.max(0, pauseMs - (performance.now() - began));
    setTimeout(() => {
      making = false;
      makeMore();
    }, pause).unref();
  };
  const makeMore = () => {
    if (!making && ready.length <= fewLeft) void make();
  };

  return {
    next() {
      const code = ready.shift();
      makeMore();
      if (code) return Promise.resolve(code);
      if (waiting.length >= mostWaiting)
        return Promise.reject(new Fault('request.tooMany', { with: { seconds: pauseMs / 1000 } }));
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
  };
};
