import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { alarmEndpoints } from '#contract/alarms.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '../../api/query.ts';
import { useSignedIn } from '../../api/session.ts';
import { DataState } from '../../parts/DataState.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { optionalNumber, useUrlState } from '../../parts/url-state.ts';
import './project.css';

export interface ProjectPlace {
  id: number;
  name: string;
}
const projectSearch = z.object({ project_id: optionalNumber });
const shownAtOnce = 20;
/** Each with the permission of the list that it shows. */
const permissionOf = {
  earlywarning: alarmEndpoints.list.permission,
  warningnotice: noticeEndpoints.list.permission,
} as const;
const screens = ['earlywarning', 'warningnotice'] as const;

/** The screens of one project: which project it is, and the others of its screens. */
export const ProjectFrame = ({
  screen,
  children,
}: {
  screen: (typeof screens)[number];
  children: (project: ProjectPlace) => ReactNode;
}) => {
  const { t } = useTranslation('shell');
  const { permissions } = useSignedIn();
  const permitted = screens.filter((each) => permissions.some((held) => held === permissionOf[each]));
  const [{ project_id }, setSearch] = useUrlState(projectSearch);
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
    if (project_id === undefined && first !== undefined) setSearch({ project_id: first });
  }, [project_id, first, setSearch]);

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
          onChange={(id: number | null) =>
            id !== null && setSearch({ project_id: id, page: undefined, alarm: undefined }, { push: true })
          }
        />
        <nav aria-label={t(($) => $.project.screens)}>
          {permitted.map((each) => (
            <PathLink
              key={each}
              to={paths.project(each, project_id)}
              {...(each === screen ? { 'aria-current': 'page' as const } : {})}
            >
              {t(($) => $.project[each])}
            </PathLink>
          ))}
        </nav>
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
          {({ list: [project] }) => project && children({ id: project.project_id, name: project.name })}
        </DataState>
      )}
    </>
  );
};
