import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { projectEndpoints } from '#contract/projects.ts';
import { useReload } from '#web/api/query.ts';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { FilterBar } from './FilterBar.tsx';
import { ProjectPicker, ProjectsPicker } from './ProjectPicker.tsx';
import { optionalNumber, useUrlState } from './url-state.ts';
import { common } from './words/en-US.ts';

const path = '/project/options';
const all = Array.from({ length: 400 }, (_, index) => ({
  ...{ project_id: index + 1, name: `Site ${String(index + 1).padStart(3, '0')}`, parts: [] },
}));
let stage: Stage;
let isDown = false;
const refused = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
beforeEach(async () => {
  isDown = false;
  stage = await setStage({
    words: { common },
    replies: {
      [path]: ({ name = '', project_id, limit }: { name?: string; project_id?: number; limit: number }) =>
        isDown
          ? refused
          : {
              list: all
                .filter((one) => one.name.includes(name) && (project_id ?? one.project_id) === one.project_id)
                .slice(0, limit),
            },
    },
  });
});
afterEach(cleanup);

const search = z.object({ project_id: optionalNumber });
const Filters = () => {
  const [values, setValues] = useUrlState(search);
  return (
    <FilterBar
      fields={[{ kind: 'project', name: 'project_id', label: 'Project' }]}
      values={values}
      onChange={setValues}
      whole
    />
  );
};

test('a filter finds a project beyond those that it offers at first, by part of its name', async () => {
  const address = showAt(<Filters />, '/list');
  const user = userEvent.setup();
  await user.click(await screen.findByRole('combobox', { name: 'Project' }));
  await user.keyboard('387');
  await user.click(await screen.findByTitle('Site 387'));
  await waitFor(() => expect(address()).toBe('/list?project_id=387'));
  expect(stage.sent(path)).toContainEqual({ limit: 200, name: '387' });
});

test('a filter from an address names a project beyond those that it offers at first', async () => {
  showAt(<Filters />, '/list?project_id=399');
  await screen.findByText('Site 399');
});

test('a filter by a project that the reader does not see is shown as a filter', async () => {
  showAt(<Filters />, '/list?project_id=4711');
  await screen.findByText('#4711');
});

test('the pickers of forms name chosen projects beyond those that they offer at first', async () => {
  showAt(
    <>
      <ProjectPicker value={398} />
      <ProjectsPicker value={[1, 397]} />
    </>,
  );
  for (const name of ['Site 398', 'Site 001', 'Site 397']) await screen.findByText(name);
});

const Reload = () => {
  const reload = useReload(projectEndpoints.options);
  const [isDone, setDone] = useState(false);
  return (
    <button type="button" onClick={() => void reload().then(() => setDone(true))}>
      {isDone ? 'reloaded' : 'reload'}
    </button>
  );
};
test('a chosen project keeps its name when a refresh fails', async () => {
  showAt(
    <>
      <Filters />
      <Reload />
    </>,
    '/list?project_id=398',
  );
  await screen.findByText('Site 398');
  isDown = true;
  await userEvent.click(screen.getByRole('button', { name: 'reload' }));
  await screen.findByText('reloaded');
  screen.getByText('Site 398');
});
