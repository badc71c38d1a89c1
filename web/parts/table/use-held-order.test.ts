import { act, renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useHeldOrder } from './use-held-order.ts';

interface Given {
  rows: readonly number[] | undefined;
  key: string;
  settled?: boolean;
}
const held = (first: Given) =>
  renderHook(({ rows, key, settled = true }: Given) => useHeldOrder(rows, (row) => row, { key, settled }), {
    initialProps: first,
  });

it('rows stay where they were while the order of the server changes, until they are sorted again', () => {
  const { result, rerender } = held({ rows: [3, 1, 2], key: 'a' });
  expect(result.current).toMatchObject({ shown: [3, 1, 2], hasMoved: false });
  rerender({ rows: [1, 4, 2], key: 'a' });
  expect(result.current).toMatchObject({ shown: [1, 2, 4], hasMoved: true });
  act(() => result.current.sortAgain());
  expect(result.current).toMatchObject({ shown: [1, 4, 2], hasMoved: false });
});

it('a new order is shown once its rows are there', () => {
  const { result, rerender } = held({ rows: [1, 2], key: 'a' });
  rerender({ rows: [1, 2], key: 'b', settled: false });
  expect(result.current.shown).toEqual([1, 2]);
  rerender({ rows: [2, 1], key: 'b' });
  expect(result.current).toMatchObject({ shown: [2, 1], hasMoved: false });
});

it('shows nothing before the first rows arrive', () => {
  expect(held({ rows: undefined, key: 'a' }).result.current).toMatchObject({
    shown: undefined,
    hasMoved: false,
  });
});
