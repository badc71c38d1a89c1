import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { projectEndpoints } from '#contract/projects.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { EnergyPage } from './EnergyPage.tsx';
import { statistics } from './words/en-US.ts';

afterEach(cleanup);

test('the figures report that the projects could not be loaded, and load them on request', async () => {
  let answer: object = { refused: true, status: 503, code: 503, msg: 'Later', data: {} };
  await setStage({
    words: { statistics, common },
    permissions: ['statistics.energy', 'project.read'],
    replies: { [projectEndpoints.options.path]: () => answer },
  });
  showAt(<EnergyPage />, '/home/configinfos/energydetail');
  const retry = await screen.findByRole('button', { name: common.fault.retry });
  answer = { list: [] };
  await userEvent.click(retry);
  expect(await screen.findByText(statistics.noProject)).toBeTruthy();
});

test.each([true, false])(
  'figures without a project say what to do next (the reader may add projects: %s)',
  async (mayAdd) => {
    await setStage({
      words: { statistics, common },
      permissions: ['statistics.energy', 'project.read', ...(mayAdd ? (['project.create'] as const) : [])],
      replies: { [projectEndpoints.options.path]: { list: [] } },
    });
    showAt(<EnergyPage />, '/home/configinfos/energydetail');
    if (!mayAdd) return void (await screen.findByText(/Your administrator assigns projects/));
    const link = await screen.findByRole('link', { name: statistics.toProjects });
    expect(link.getAttribute('href')).toBe('/home/projectlist');
  },
);
