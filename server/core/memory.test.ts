import { expect, test } from 'vitest';
import { createMemory } from './memory.ts';

const keep = { freshMs: 5_000, shownMs: 20_000 };

test('an answer is calculated again when the clock was set back, and reused by simultaneous calls', async () => {
  const remembered = createMemory();
  let calculated = 0;
  const ask = (now: number) => remembered('lines', keep, now, async () => ++calculated);
  expect(await ask(7_200_000)).toBe(1);
  expect(await ask(7_199_900)).toBe(1);
  expect(await ask(0)).toBe(2);
  expect(await ask(1_000)).toBe(2);
});
