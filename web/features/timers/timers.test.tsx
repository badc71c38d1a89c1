import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { TimersView } from './TimersView.tsx';
import { timers } from './words/en-US.ts';

afterEach(cleanup);

test('a device without timers shows that, and offers neither to clear filters nor to choose a project', async () => {
  const stage = await setStage({
    words: { timers, common },
    permissions: ['timer.read', 'project.read'],
    replies: { '/device_timing/get_list': { list: [], total: 0, page: 1, limit: 20 } },
  });
  showAt(<TimersView />, '/home/devicedetails?device_id=7&tab=timers');
  expect(await screen.findByText(timers.empty)).toBeTruthy();
  expect(screen.queryByLabelText(timers.field.project)).toBeNull();
  expect(stage.sent('/device_timing/get_list')[0]).toMatchObject({ device_id: 7 });
});
