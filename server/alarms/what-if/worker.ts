import type { LineRef } from '#server/core/group.ts';
import { answerFromWorker } from '#server/core/worker.ts';
import { createEnvelope, type Envelope } from './envelope.ts';
import {
  type Comparison,
  compare,
  createReplay,
  type Episode,
  type JudgedLimits,
  replayed,
  warmUpMs,
} from './replay.ts';
import { openReadings, type StoredReadings } from './stored-readings.ts';

export interface ReplayedLine {
  ref: LineRef;
  /** Readings before this time are not used, because another owner had the device. */
  seenFrom: number;
  /** Ascending. */
  resets: readonly number[];
}
export interface ReplayJob {
  databaseUrl: string;
  lines: readonly ReplayedLine[];
  code: number;
  key: string;
  value: number;
  since: number;
  until: number;
  chart: boolean;
}
export interface LineAnswer extends Comparison {
  lineId: number;
  before: Episode[];
  after: Episode[];
  readings: number;
  first: number | null;
  limits: { before: JudgedLimits; after: JudgedLimits };
  chart: Envelope | null;
}

/** Each reading is read once and judged twice. */
const replayLine = async (
  stored: StoredReadings,
  { ref, seenFrom, resets }: ReplayedLine,
  { code, key, value, until, chart, ...job }: ReplayJob,
): Promise<LineAnswer> => {
  const since = Math.max(job.since, seenFrom);
  const changed: LineRef = { ...ref, thresholds: { ...ref.thresholds, [key]: value } };
  const [now, then] = [createReplay(ref, code, resets), createReplay(changed, code, resets)];
  const envelope = chart ? createEnvelope({ since: job.since, until }) : null;
  let readings = 0;
  let first: number | null = null;
  const from = Math.max(since - warmUpMs, seenFrom);
  await stored.read({ lineId: ref.lineId, since: from, until }, (reading) => {
    const judgedAgain = replayed(ref, reading);
    now.take(judgedAgain);
    then.take(judgedAgain);
    if (reading.at < since) return;
    readings += 1;
    first ??= reading.at;
    const judged = envelope && now.judgedValue();
    if (judged !== null) envelope?.take(reading.at, judged);
  });
  const [before, after] = [now.episodes(since, until), then.episodes(since, until)];
  return {
    lineId: ref.lineId,
    before,
    after,
    readings,
    first,
    ...compare(before, after),
    limits: { before: now.limits, after: then.limits },
    chart: envelope?.drawn() ?? null,
  };
};

const replay = async (job: ReplayJob): Promise<LineAnswer[]> => {
  const stored = await openReadings(job.databaseUrl);
  try {
    const answers: LineAnswer[] = [];
    for (const line of job.lines) answers.push(await replayLine(stored, line, job));
    return answers;
  } finally {
    await stored.close();
  }
};

await answerFromWorker(replay);
