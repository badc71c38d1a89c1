import { useState } from 'react';

interface Held {
  key: string;
  ids: readonly number[];
}
/** Rows in the kept order, new ones at the end. */
const inHeldOrder = <Row>(
  rows: readonly Row[],
  ids: readonly number[],
  idOf: (row: Row) => number,
): Row[] => {
  const left = new Map(rows.map((row) => [idOf(row), row]));
  const known = ids.flatMap((id) => {
    const row = left.get(id);
    left.delete(id);
    return row === undefined ? [] : [row];
  });
  return [...known, ...left.values()];
};

/**
 * Keeps rows in place while their values change: the server's new order is used when `key` (filters and
 * requested order) changes, or on `sortAgain`. `settled`: the rows belong to the key.
 */
export const useHeldOrder = <Row>(
  rows: readonly Row[] | undefined,
  idOf: (row: Row) => number,
  { key, settled }: { key: string; settled: boolean },
): { shown: readonly Row[] | undefined; hasMoved: boolean; sortAgain: () => void } => {
  const [held, setHeld] = useState<Held>();
  const order = (): Held => ({ key, ids: (rows ?? []).map(idOf) });
  const isNew = rows !== undefined && settled && held?.key !== key;
  if (isNew) setHeld(order());
  const shown = rows && held && !isNew ? inHeldOrder(rows, held.ids, idOf) : rows;
  return {
    shown,
    hasMoved: shown?.some((row, place) => row !== rows?.[place]) ?? false,
    sortAgain: () => setHeld(order()),
  };
};
