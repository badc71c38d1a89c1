import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FirstStepsPage } from './FirstStepsPage.tsx';
import { firstSteps } from './words/en-US.ts';

afterEach(cleanup);

test('a step to do leads to its form, and one that is done to what it made', async () => {
  const none = { list: [], total: 0, page: 1, limit: 1 };
  await setStage({
    words: { firstSteps, common },
    permissions: ['project.create'],
    replies: {
      [projectEndpoints.list.path]: { ...none, total: 1 },
      [deviceEndpoints.list.path]: none,
      [noticeEndpoints.list.path]: none,
    },
  });
  showAt(<FirstStepsPage />);
  await screen.findByText(firstSteps.step.project.name);
  const links = screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['Show the projects', '/home/projectlist'],
    ['Add the first device', '/home/devicelist?add=1'],
    ['Watch for its first report', '/home/devicelist'],
    ['Add the first notification rule', '/home/configinfos/bouncednotice?add=1'],
  ]);
});
