import { Fault } from '#server/core/fault.ts';
import { createLane, LaneFull } from '#server/core/lane.ts';
import { ClientLeft, runInWorker, TooHeavy } from '#server/core/worker.ts';
import { type GivenList, type ImportSource, readRows } from './import-read.ts';

const worker = new URL('./import-worker.ts', import.meta.url);
/** A shorter text is read faster than a thread starts. */
const shortText = 20_000;
const lane = createLane({ atOnce: 1, waiting: 4 });

/**
 * The rows of a list. Files and long texts are read in a thread with limits of time and memory, one at a
 * time, so that no list delays readings and alarms; `signal` ends the reading when the caller has
 * disconnected.
 */
export const readRowsWithinLimits = async (source: ImportSource, signal: AbortSignal): Promise<GivenList> => {
  if (!source.file && (source.text?.length ?? 0) <= shortText) return readRows(source);
  const input: ImportSource = { ...source, file: source.file && { content: source.file.content } };
  try {
    return await lane(() =>
      runInWorker<GivenList>(worker, input, { cpuMilliseconds: 8000, megabytes: 256, signal }),
    );
  } catch (error) {
    if (error instanceof LaneFull) throw new Fault('request.tooMany', { with: { seconds: 10 } });
    if (error instanceof TooHeavy || error instanceof ClientLeft)
      throw new Fault('request.invalid', { fields: { [source.file ? 'file' : 'text']: 'import.heavy' } });
    throw error;
  }
};
