import { expect, it } from 'vitest';
import { loggedBody } from './logged.ts';

it('the operation log keeps a bounded part of a body of any shape', () => {
  const shapes: unknown[] = [
    { a: 'x'.repeat(500_000) },
    { a: Array.from({ length: 100_000 }, () => 1) },
    Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`.repeat(50), 'x'.repeat(2000)])),
    { a: Array.from({ length: 500 }, () => Array.from({ length: 500 }, () => 'x'.repeat(2000))) },
  ];
  for (const shape of shapes) {
    const kept = loggedBody(shape);
    expect(JSON.stringify(kept).length).toBeLessThan(60_000);
    expect(Object.keys(kept).length).toBeGreaterThan(0);
  }
  expect(loggedBody({ a: 'x'.repeat(3000) })).toEqual({ a: `${'x'.repeat(2000)}…` });
});

it('the operation log keeps no secret at any depth', () => {
  expect(
    loggedBody({ a: { password: 'p', b: [{ wifi_token: 't', c: 1 }] }, hidden: 'h' }, ['hidden']),
  ).toEqual({
    a: { b: [{ c: 1 }] },
  });
});
