import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { LinesPanel } from './LinesPanel.tsx';
import { lines } from './words/en-US.ts';

afterEach(cleanup);

const now = new Date().toISOString();
const line = {
  ...{
    line_id: 6,
    device_id: 5,
    n: 1,
    name: 'Pump',
    alias: '',
    model: '',
    critical: false,
    switchable: true,
  },
  ...{ state: 'closed', observed_at: now, stale: false, switched_at: null, switched_by: null, pending: null },
  ...{ commanded: null, commanded_at: null, commanded_by: null, acknowledged: null, acknowledged_at: null },
  ...{ values_at: now, values_stale: false, trip: 0, lock: 0, tags: [], alarms: [], temperatures: {} },
  ...{ voltage: 230, current: 1, power: 230, leakage: 1, energy: 5, values: {}, poles: 1, revision: 1 },
  ...{ rated_current: 16, proposed_rated_current: null, thresholds: {}, limits: {} },
};
const device = {
  ...{ device_id: 5, name: 'Board', number: 'AW000005', status: 'online' as const },
  ...{ interval_seconds: 60, project_id: 1 },
};
const refused = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} };

test('says as text why a line cannot be switched when it could not be loaded what is possible', async () => {
  await setStage({
    words: { lines, common },
    permissions: ['line.switch'],
    replies: {
      [lineEndpoints.list.path]: { list: [line] },
      [lineEndpoints.sparks.path]: { lines: [] },
      [lineEndpoints.nominalVoltage.path]: { ...refused },
      [controlEndpoints.possible.path]: { ...refused },
    },
  });
  showAt(<LinesPanel device={device} tags={() => null} />);
  const reason = await screen.findByText(lines.actsUnknown);
  const open = screen.getByRole('button', { name: /^Open: / });
  expect(open.hasAttribute('disabled')).toBe(true);
  expect(open.getAttribute('aria-describedby')).toBe(reason.id);
});

test('lines and acts that could not be loaded have one notice, which loads both again', async () => {
  let answer: object = { ...refused };
  await setStage({
    words: { lines, common },
    permissions: ['line.switch'],
    replies: {
      [lineEndpoints.list.path]: () => ('refused' in answer ? answer : { list: [line] }),
      [lineEndpoints.sparks.path]: { lines: [] },
      [lineEndpoints.nominalVoltage.path]: { ...refused },
      [controlEndpoints.possible.path]: () => ('refused' in answer ? answer : { actions: [] }),
    },
  });
  showAt(<LinesPanel device={device} tags={() => null} />);
  await screen.findAllByText('Internal error');
  await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(1));
  answer = {};
  await userEvent.click(screen.getByRole('button', { name: common.fault.retry }));
  await screen.findByText('Pump');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
