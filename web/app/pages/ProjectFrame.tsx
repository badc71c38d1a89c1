import { useRouter } from '@tanstack/react-router';
import { Menu, Select } from 'antd';
import { type ComponentType, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { useSignedIn } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { Notice } from '#web/parts/Notice.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { useProjectChoice } from '#web/parts/use-project-choice.ts';
import { type ProjectPlace, type ProjectScreen, projectScreensFor } from '../menu.ts';
import './project.css';

const projectSearch = z.object({ project_id: optionalNumber });

/** The frame of one project's screens: its name, and the menu of its screens. */
export const ProjectFrame = ({
  screen,
  page: Page,
}: {
  screen: ProjectScreen['path'];
  page: ComponentType<{ project: ProjectPlace }>;
}) => {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const [{ project_id }] = useUrlState(projectSearch);
  const may = projectScreensFor(useSignedIn()).some(({ path }) => path === screen);
  const { first, chosen, here, select } = useProjectChoice(project_id);
  const firstId = first.data?.list[0]?.project_id;
  const asked = project_id === undefined ? first : chosen;
  const isThere = (project_id === undefined ? firstId : here) !== undefined;
  useEffect(() => {
    if (project_id === undefined && firstId !== undefined)
      router.history.replace(paths.project(screen, firstId));
  }, [project_id, firstId, screen, router]);

  return (
    <>
      <div className="project-bar">
        <Select
          {...select}
          className="project-pick"
          aria-label={t(($) => $.project.pick)}
          placeholder={t(($) => $.project.pick)}
          // Filters, open drawers and pages belong to the previous project.
          onChange={(id: number | null) => id !== null && router.history.push(paths.project(screen, id))}
        />
        <ScreenMenu screen={screen} projectId={project_id} />
      </div>
      {!isThere && (asked.data || asked.error) && (
        <PageHeader title={t(($) => $.project.screen[screen])}>
          <PathLink to={paths.projectList()}>{t(($) => $.menu.projectlist)}</PathLink>
        </PageHeader>
      )}
      {!may && isThere ? (
        <Notice title={t(($) => $.project.screen[screen])} text={t(($) => $.project.denied)} />
      ) : project_id === undefined ? (
        <DataState
          query={first}
          rows={10}
          isEmpty={({ list }) => list.length === 0}
          empty={t(($) => $.project.none)}
        >
          {() => null}
        </DataState>
      ) : (
        <DataState
          query={chosen}
          rows={10}
          isEmpty={() => here === undefined}
          empty={t(($) => $.project.missing)}
        >
          {() => here && <Page key={here.project_id} project={{ id: here.project_id, name: here.name }} />}
        </DataState>
      )}
    </>
  );
};

/**
 * The project view's own menu, in its groups; a group with only one permitted screen is shown as that screen.
 */
const ScreenMenu = ({
  screen,
  projectId,
}: {
  screen: ProjectScreen['path'];
  projectId: number | undefined;
}) => {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const permitted = projectScreensFor(useSignedIn());
  const itemOf = ({ path }: ProjectScreen) => ({
    key: path,
    label: (
      <a href={paths.project(path, projectId)} tabIndex={-1} onClick={(event) => event.preventDefault()}>
        {t(($) => $.project.screen[path])}
      </a>
    ),
  });
  const groups = Map.groupBy(permitted, ({ group, path }) => group ?? path);
  const items = [...groups].map(([key, screens]) => {
    const [only] = screens;
    return screens.length === 1 && only
      ? itemOf(only)
      : {
          key: `group-${key}`,
          label: t(($) => $.project.group[key as 'energy']),
          children: screens.map(itemOf),
        };
  });
  return (
    <nav aria-label={t(($) => $.project.screens)}>
      <Menu
        mode="horizontal"
        items={items}
        selectedKeys={[screen]}
        onClick={({ key }) => router.history.push(paths.project(key as ProjectScreen['path'], projectId))}
      />
    </nav>
  );
};
