import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { SearchPage } from './SearchPage.tsx';
import { search } from './words/en-US.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await setStage({
    words: { search, common },
    replies: {
      '/search/find': {
        projects: [{ project_id: 3, name: 'Bay Tower', address: '', contact_name: 'Li', contact_phone: '1' }],
        devices: [
          { device_id: 7, number: 'BAY00001', name: 'Board', project_name: 'Bay Tower', online: true },
        ],
        ...{
          lines: [],
          alarms: [],
          alarm_types: [],
          regions: [],
          people: [],
          persons: [],
          more: ['devices'],
        },
      },
    },
  });
});
afterEach(cleanup);

test('a typed text is searched and kept in the address; arrow keys move through the grouped hits', async () => {
  const address = showAt(<SearchPage />, '/home/search');
  await userEvent.type(await screen.findByLabelText(search.hint), 'bay');
  await screen.findByRole('heading', { name: search.group.devices });
  await waitFor(() => expect(address()).toBe('/home/search?text=bay'));
  expect(stage.sent('/search/find').at(-1)).toEqual({ text: 'bay', limit: 30 });
  expect(screen.getByText('There are more: only 1 is shown. Enter more of the name.')).toBeTruthy();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(document.activeElement?.getAttribute('href')).toBe('/home/devicedetails?device_id=7');
  await userEvent.keyboard('{ArrowUp}');
  expect(document.activeElement?.getAttribute('href')).toBe('/home/configinfo?project_id=3');
});

test('one character sends no search', async () => {
  showAt(<SearchPage />, '/home/search?text=b');
  expect(await screen.findByText(search.how)).toBeTruthy();
  expect(stage.sent('/search/find')).toEqual([]);
});
