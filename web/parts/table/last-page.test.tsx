import { useQuery } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { setStage, showAt } from '#web/test-stage.tsx';
import { listShape, optionalText, useUrlState } from '../url-state.ts';
import { common } from '../words/en-US.ts';
import { DataTable } from './DataTable.tsx';

afterEach(cleanup);

const search = z.object({ ...listShape, name: optionalText });
let total = 0;
const List = () => {
  const [state, setState] = useUrlState(search);
  const from = (state.page - 1) * state.limit;
  const query = useQuery({
    queryKey: [state.page],
    queryFn: () => ({
      list: Array.from({ length: Math.max(0, Math.min(state.limit, total - from)) }, (_, n) => from + n),
      total,
    }),
  });
  return (
    <DataTable<number>
      id="rows"
      label="Rows"
      columns={[{ key: 'n', title: 'Row', render: (n) => `Row ${n}` }]}
      rowId={(n) => n}
      rowName={String}
      query={query}
      state={state}
      onState={setState}
      filters={[{ kind: 'text', name: 'name', label: 'Name', primary: true }]}
      empty="No rows yet"
    />
  );
};

test.each([
  [45, '/list?page=9', '/list?page=3', 'Row 44'],
  [7, '/list?page=2', '/list', 'Row 6'],
])('with %i rows %s leads to the last page', async (rows, address, after, row) => {
  total = rows;
  await setStage({ words: { common }, replies: {} });
  const now = showAt(<List />, address);
  await screen.findByText(row);
  await waitFor(() => expect(now()).toBe(after));
  expect(screen.queryByText('No rows yet')).toBeNull();
});

test('a list without rows says so on any page', async () => {
  total = 0;
  await setStage({ words: { common }, replies: {} });
  const now = showAt(<List />, '/list?page=2');
  await screen.findByText('No rows yet');
  await waitFor(() => expect(now()).toBe('/list'));
});

test('a list without rows that match says so, and clears its filters', async () => {
  total = 0;
  await setStage({ words: { common }, replies: {} });
  const now = showAt(<List />, '/list?name=pump');
  fireEvent.click(await screen.findByText(common.table.resetFilters));
  expect(await screen.findByText('No rows yet')).toBeTruthy();
  expect(now()).toBe('/list');
});
