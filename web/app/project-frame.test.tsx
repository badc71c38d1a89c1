import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectEndpoints } from '#contract/projects.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { ProjectFrame } from './pages/ProjectFrame.tsx';
import { words } from './words/en-US.ts';

const refused = { refused: true, status: 503, code: 503, msg: 'Later', data: {} } as const;
const projects = { list: [{ project_id: 3, name: 'Bay Tower' }] };
let answer: object;
beforeEach(async () => {
  await setStage({
    words,
    permissions: ['line.read'],
    replies: { [projectEndpoints.options.path]: () => answer },
  });
});
afterEach(cleanup);

test.each(['/home/configinfo/lines', '/home/configinfo/lines?project_id=3'])(
  '%s reports that the projects could not be loaded, and loads them on request',
  async (address) => {
    answer = refused;
    const here = showAt(
      <ProjectFrame screen="lines" page={({ project }) => <p>Lines of {project.name}</p>} />,
      address,
    );
    const retry = await screen.findByRole('button', { name: words.common.fault.retry });
    answer = projects;
    await userEvent.click(retry);
    await screen.findByText('Lines of Bay Tower');
    expect(here()).toContain('project_id=3');
  },
);

test.each(['/home/configinfo/lines', '/home/configinfo/lines?project_id=3'])(
  '%s without a project has a heading and leads to the projects',
  async (address) => {
    answer = { list: [] };
    showAt(<ProjectFrame screen="lines" page={() => null} />, address);
    await screen.findByRole('heading', { level: 1, name: words.shell.project.screen.lines });
    const link = screen.getByRole('link', { name: words.shell.menu.projectlist });
    expect(link.getAttribute('href')).toBe('/home/projectlist');
  },
);

test('a screen that the role does not include says so instead of being shown', async () => {
  answer = projects;
  showAt(
    <ProjectFrame screen="operationlog" page={() => <p>Log</p>} />,
    '/home/configinfo/operationlog?project_id=3',
  );
  await screen.findByText(words.shell.project.denied);
  expect(
    screen.getByRole('heading', { level: 1, name: words.shell.project.screen.operationlog }),
  ).toBeTruthy();
  expect(screen.queryByText('Log')).toBeNull();
});
