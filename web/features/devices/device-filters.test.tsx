import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useUrlState } from '#web/parts/url-state.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { DeviceFilters } from './DeviceFilters.tsx';
import { deviceSearch } from './device-search.ts';
import { devices } from './words/en-US.ts';

const Filters = () => {
  const [search, setSearch] = useUrlState(deviceSearch);
  return <DeviceFilters search={search} onChange={setSearch} />;
};

beforeEach(async () => {
  await setStage({
    words: { devices, common },
    replies: {
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower', parts: [] }] },
      '/category/options': { list: [] },
    },
  });
});
afterEach(cleanup);

test('the project in the address is shown, stays with other filters and can be removed', async () => {
  const address = showAt(<Filters />, '/home/devicelist?project_id=3');
  await userEvent.click(await screen.findByRole('button', { name: `${common.filter.more} (1)` }));
  expect(await screen.findByText('Bay Tower')).toBeTruthy();
  const status = await screen.findByRole('combobox', { name: devices.column.status });
  await userEvent.click(status);
  await userEvent.click(await screen.findByTitle(common.offline));
  await waitFor(() => expect(address()).toBe('/home/devicelist?project_id=3&status=offline'));
  const clear = screen.getAllByRole('button', { name: common.filter.reset });
  await userEvent.click(clear.at(-1)!);
  await waitFor(() => expect(address()).toBe('/home/devicelist'));
  expect(screen.getByRole('textbox', { name: devices.column.project })).toBeTruthy();
});
