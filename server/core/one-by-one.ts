import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { Fault } from './fault.ts';

/**
 * Removes rows one by one and answers for each: a refusal does not stop the others. `remove` returns the name
 * of the row, for the operation log.
 */
export const removeOneByOne = async (
  ids: readonly number[],
  language: Language,
  remove: (id: number) => Promise<string>,
) => {
  const names: string[] = [];
  const results: { id: number; result: 'done' | 'denied'; reason?: string }[] = [];
  for (const id of new Set(ids)) {
    try {
      names.push(await remove(id));
      results.push({ id, result: 'done' });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      results.push({ id, result: 'denied', reason: sentence(error.code, language, error.details.with) });
    }
  }
  return { names, answer: { results, done: names.length, denied: results.length - names.length } };
};
