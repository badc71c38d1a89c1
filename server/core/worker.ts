import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { FaultCode } from '#contract/faults/codes.ts';
import { Fault, type FaultDetails } from './fault.ts';

/** Every job ends after this time. */
const longestMs = 60_000;

/** Thrown when a job exceeds its time or memory. */
export class TooHeavy extends Error {}
/** Thrown when the caller has disconnected. */
export class ClientLeft extends Error {}

interface WorkerLimits {
  /** Processor time: a busy machine does not make a job exceed it. */
  cpuMilliseconds: number;
  megabytes: number;
  /** Ends the job when its caller has disconnected. */
  signal?: AbortSignal;
}
type Answer<Output> = { output: Output } | { fault: { code: FaultCode; details: FaultDetails } };

/**
 * Runs the job of a worker module (`answerFromWorker`) in a separate thread, so that the process continues
 * meanwhile. Throws the job's Fault, TooHeavy or ClientLeft.
 */
export const runInWorker = <Output>(
  module: URL,
  input: unknown,
  { cpuMilliseconds, megabytes, signal }: WorkerLimits,
): Promise<Output> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new ClientLeft('left'));
    const worker = new Worker(module, {
      workerData: input,
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: megabytes / 4 },
    });
    const end = (settle: () => void) => {
      clearInterval(watch);
      signal?.removeEventListener('abort', leave);
      settle();
      void worker.terminate();
    };
    const began = performance.now();
    const look = async () => {
      const usage = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
      const isOver =
        (usage.user + usage.system) / 1000 > cpuMilliseconds || performance.now() - began > longestMs;
      if (isOver) end(() => reject(new TooHeavy('out of time')));
    };
    const watch = setInterval(() => void look(), 250);
    const leave = () => end(() => reject(new ClientLeft('left')));
    signal?.addEventListener('abort', leave);
    worker.on('message', (answer: Answer<Output>) =>
      end(() =>
        'fault' in answer
          ? reject(new Fault(answer.fault.code, answer.fault.details))
          : resolve(answer.output),
      ),
    );
    worker.on('error', (error) => end(() => reject(failureOf(error))));
    worker.on('exit', () => end(() => reject(new Error('the worker ended without an answer'))));
  });

const failureOf = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error));
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TooHeavy('out of memory') : error;
};

/** The worker's side: answers with the result of `job` for the input. Does nothing outside a worker. */
export const answerFromWorker = async <Input, Output>(
  job: (input: Input) => Promise<Output>,
): Promise<void> => {
  if (!parentPort) return;
  const answer: Answer<Output> = await job(workerData as Input).then(
    (output) => ({ output }),
    (error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      return { fault: { code: error.code, details: error.details } };
    },
  );
  parentPort.postMessage(answer);
};
