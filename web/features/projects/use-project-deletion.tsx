import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useRefreshProjects } from './projects.query.ts';

type Dependents = ReplyOf<typeof projectEndpoints.dependents>['list'];
type Outcomes = ReplyOf<typeof projectEndpoints.delete>['results'];

/** Deletes projects after a dialog that names what depends on each. */
export const useProjectDeletion = () => {
  const { t } = useTranslation('projects');
  const confirm = useConfirm();
  const refresh = useRefreshProjects();
  const [outcomes, setOutcomes] = useState<Outcomes | null>(null);

  const ask = (list: Dependents) =>
    confirm({
      title: t(($) => $.delete.title, { count: list.length }),
      content: <DependentList list={list} />,
      okText: t(($) => $.delete.act),
      danger: true,
    });
  const remove = async (ids: readonly number[]) => {
    await attempt(async () => {
      const { list } = await call(projectEndpoints.dependents, { project_ids: [...ids] });
      if (!(await ask(list))) return;
      const devices = list.reduce((sum, each) => sum + each.devices, 0);
      const { results } = await call(projectEndpoints.delete, { project_ids: [...ids], devices });
      setOutcomes(results);
    });
    await refresh();
  };
  return { remove, outcomes, close: () => setOutcomes(null) };
};

const DependentList = ({ list }: { list: Dependents }) => {
  const { t } = useTranslation('projects');
  return (
    <>
      <ul className="plain-list dependents">
        {list.map(({ project_id, name, ...held }) => (
          <li key={project_id}>
            <strong>{name}</strong>
            <ul>
              <li>{t(($) => $.delete.devices, { count: held.devices })}</li>
              {held.lines_closed > 0 && <li>{t(($) => $.delete.closed, { count: held.lines_closed })}</li>}
              {held.timers > 0 && <li>{t(($) => $.delete.timers, { count: held.timers })}</li>}
              {held.unprocessed > 0 && <li>{t(($) => $.delete.unprocessed, { count: held.unprocessed })}</li>}
              {held.users > 0 && (
                <li>
                  {t(($) => $.delete.users, { count: held.users })}{' '}
                  {held.users_left_without > 0 &&
                    t(($) => $.delete.without, { count: held.users_left_without })}
                </li>
              )}
              {held.tags > 0 && <li className="is-alarm">{t(($) => $.delete.tags, { count: held.tags })}</li>}
            </ul>
          </li>
        ))}
      </ul>
      <p>{t(($) => $.delete.history)}</p>
    </>
  );
};
