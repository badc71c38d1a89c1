import * as z from 'zod';
import type { Endpoint } from '#contract/endpoint.ts';
import { frameCall, frameParts } from '#contract/frame-parts.ts';
import { readAnswer, send } from './call.ts';

/** An older answer is not used, because the live stream may have brought newer changes. */
const freshMs = 5_000;
const isFresh = (at: number): boolean => performance.now() - at <= freshMs;

interface Answer {
  at: number;
  parts: Readonly<Record<string, unknown>>;
}
/** The call, with its body, that each part answers. */
type Parts = Readonly<Record<string, { readonly path: string; readonly body: object }>>;
const waiting = new Map<string, { part: string; answer: Promise<Answer> }>();
/** When each such call was last answered; null: it is under way. */
const asked = new Map<string, number | null>();
const keyOf = (path: string, body: unknown): string => JSON.stringify([path, body]);

const ask = async (together: Omit<Endpoint, 'reply'>): Promise<Answer> => {
  const endpoint = { ...together, reply: z.unknown() };
  const parts = await send(endpoint, {}, null, undefined)
    .then((response) => readAnswer(response, null))
    // If the common call fails, each query makes its own call and shows its own fault.
    .catch(() => ({}));
  const at = performance.now();
  asked.set(together.path, at);
  return { at, parts: parts as Answer['parts'] };
};

/** Makes one call for many parts of a screen. The first query of each part takes its answer from here. */
export const askTogether = (together: Omit<Endpoint, 'reply'>, parts: Parts): void => {
  const before = asked.get(together.path);
  // React may render a waiting screen several times, so this function runs repeatedly.
  if (before === null || (before !== undefined && isFresh(before))) return;
  asked.set(together.path, null);
  const answer = ask(together);
  for (const [part, { path, body }] of Object.entries(parts))
    waiting.set(keyOf(path, body), { part, answer });
};
/** Makes the call for the frame, the parts around every screen. */
export const askFrame = (): void => askTogether(frameCall, frameParts);

/** The part's answer from a common call: given once, and only while it is fresh; null: the part makes its own call. */
export const takeFromFrame = async (path: string, body: unknown): Promise<unknown> => {
  const key = keyOf(path, body);
  const found = waiting.get(key);
  if (!found) return null;
  waiting.delete(key);
  const { at, parts } = await found.answer;
  return isFresh(at) ? (parts[found.part] ?? null) : null;
};
