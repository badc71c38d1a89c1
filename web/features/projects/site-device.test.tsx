import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { SiteDevice } from './SiteDevice.tsx';
import type { DiagramDevice } from './site-types.ts';
import { projects } from './words/en-US.ts';

afterEach(cleanup);

test('in the diagram a lost position is dimmed with its age, while the load of the line is fresh', async () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const line = {
    ...{ line_id: 1, n: 1, name: 'Pump', rated_current: 40, switchable: true, critical: false },
    ...{ state: 'closed' as const, observed_at: ago(3_600_000), stale: true, current: 3, power: 690 },
    ...{ values_at: ago(0), values_stale: false, worst: 0 },
  };
  const device: DiagramDevice = {
    ...{ device_id: 7, number: 'AW000007', name: 'Board', type: 3, online: true, interval_seconds: 60 },
    ...{ incoming: false, part_name: '', lines: [line] },
  };
  await setStage({ words: { projects, common }, replies: {} });
  showAt(<SiteDevice device={device}>{null}</SiteDevice>);
  await screen.findByText('1 h ago');
  const dimmed = [...document.querySelectorAll('.site-line .is-stale')].map((each) => each.textContent);
  expect(dimmed).toEqual(['closed']);
});
