/** The ledger of corrections as part of a printed report. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { Ledger } from './Ledger.tsx';
import { statistics } from './words/en-US.ts';

afterEach(cleanup);

const row = {
  ...{ id: 1, line_id: 7, line_name: 'Pump', device_number: 'AW344030101' },
  ...{ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z', before_kwh: 24, after_kwh: 20 },
  ...{
    reason: 'Wrong meter',
    undoes: null,
    undone_by: null,
    operator: 'admin',
    time: '2026-11-03T00:00:00Z',
  },
};
const ledgerWith = async (list: readonly object[]) => {
  await setStage({
    language: 'en-US',
    words: { statistics, common },
    replies: { '/statistics/get_corrections': { list, total: list.length } },
  });
  showAt(<Ledger project_id={1} timeZone="Asia/Shanghai" />);
};

test('the ledger is printed without its button', async () => {
  await ledgerWith([row]);
  const button = await screen.findByRole('button', { name: common.table.export });
  expect(button.closest('.no-print')).not.toBeNull();
  expect((await screen.findByText('Wrong meter')).closest('.no-print')).toBeNull();
});

test('a ledger without entries is not printed', async () => {
  await ledgerWith([]);
  expect((await screen.findByText(statistics.ledger.empty)).closest('.no-print')).not.toBeNull();
});
