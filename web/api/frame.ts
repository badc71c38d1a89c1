import * as z from 'zod';
import { frameCall, frameParts } from '#contract/frame-parts.ts';
import { readAnswer, send } from './call.ts';

/** An answer older than this is asked for again: the live stream may have brought news that it does not know. */
const freshMs = 5_000;

interface Answer {
  at: number;
  parts: Readonly<Record<string, unknown>>;
}
const waiting = new Map<string, { part: string; answer: Promise<Answer> }>();
const keyOf = (path: string, body: unknown): string => JSON.stringify([path, body]);

const ask = async (): Promise<Answer> => {
  const endpoint = { ...frameCall, reply: z.unknown() };
  const parts = await send(endpoint, {}, null, undefined)
    .then((response) => readAnswer(response, null))
    // Each query then asks by itself, and shows its own fault.
    .catch(() => ({}));
  return { at: performance.now(), parts: parts as Answer['parts'] };
};

/** Asks once for what surrounds every screen. The first query of each part takes its answer from here. */
export const askFrame = (): void => {
  if (waiting.size > 0) return;
  const answer = ask();
  for (const [part, { path, body }] of Object.entries(frameParts))
    waiting.set(keyOf(path, body), { part, answer });
};

/** What the frame answered for this call, once and only while it is fresh; null: the call is to be made. */
export const takeFromFrame = async (path: string, body: unknown): Promise<unknown> => {
  const key = keyOf(path, body);
  const found = waiting.get(key);
  if (!found) return null;
  waiting.delete(key);
  const { at, parts } = await found.answer;
  return performance.now() - at > freshMs ? null : (parts[found.part] ?? null);
};
