import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Menu, Select } from 'antd';
import { type ComponentType, useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '../../api/query.ts';
import { useSignedIn } from '../../api/session.ts';
import { DataState } from '../../parts/DataState.tsx';
import { paths } from '../../parts/paths.ts';
import { optionalNumber, useUrlState } from '../../parts/url-state.ts';
import { type ProjectPlace, type ProjectScreen, projectScreensFor } from '../menu.ts';
import './project.css';

const projectSearch = z.object({ project_id: optionalNumber });
const shownAtOnce = 20;

/** The screens of one project: which project it is, and the others of its screens. */
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
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  const found = useQuery({
    ...endpointQuery(projectEndpoints.options, { limit: shownAtOnce, ...(name === '' ? {} : { name }) }),
    placeholderData: keepPreviousData,
  });
  const chosen = useQuery({
    ...endpointQuery(projectEndpoints.options, { limit: 1, project_id: project_id ?? 0 }),
    enabled: project_id !== undefined,
  });
  const first = name === '' ? found.data?.list[0]?.project_id : undefined;
  useEffect(() => {
    if (project_id === undefined && first !== undefined) router.history.replace(paths.project(screen, first));
  }, [project_id, first, screen, router]);

  const here = chosen.data?.list[0];
  const others = (found.data?.list ?? []).filter((each) => each.project_id !== here?.project_id);
  return (
    <>
      <div className="project-bar">
        <Select
          className="project-pick"
          aria-label={t(($) => $.project.pick)}
          showSearch={{ filterOption: false, onSearch: setTyped }}
          loading={found.isFetching}
          value={here?.project_id ?? null}
          placeholder={t(($) => $.project.pick)}
          options={[...(here ? [here] : []), ...others].map((each) => ({
            value: each.project_id,
            label: each.name,
          }))}
          // Filters, open drawers and pages belong to the project that is left.
          onChange={(id: number | null) => id !== null && router.history.push(paths.project(screen, id))}
        />
        <ScreenMenu screen={screen} projectId={project_id} />
      </div>
      {project_id === undefined ? (
        found.data?.list.length === 0 && <p className="empty-notice">{t(($) => $.project.none)}</p>
      ) : (
        <DataState
          query={chosen}
          rows={10}
          isEmpty={({ list }) => list.length === 0}
          empty={t(($) => $.project.missing)}
        >
          {({ list: [project] }) =>
            project && (
              <Page key={project.project_id} project={{ id: project.project_id, name: project.name }} />
            )
          }
        </DataState>
      )}
    </>
  );
};

/** The project view's own menu, in its groups; a group of which only one screen is permitted is that screen. */
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
