import { useTranslation } from 'react-i18next';
import { useCan, useManagesProject } from '#web/api/session.ts';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import type { ProjectRow } from './projects.query.ts';

export type ProjectAct = 'edit' | 'bind' | 'parts' | 'code';

/** What can be done with a project of the list. */
export const ProjectActions = ({
  project,
  onAct,
  onDelete,
}: {
  project: ProjectRow;
  onAct: (act: ProjectAct) => void;
  onDelete: (() => void) | null;
}) => {
  const { t } = useTranslation('projects');
  const go = useGo();
  const whole = useManagesProject(project.project_id);
  const [mayWrite, mayBind] = [useCan('project.write') && whole, useCan('project.bind') && whole];
  const mayFindDevices = useCan('device.bind');
  const { project_id, name } = project;
  const act = (key: ProjectAct) => ({ key, label: t(($) => $.act[key]), onClick: () => onAct(key) });
  return (
    <RowActs
      name={name}
      first={mayWrite ? act('edit') : null}
      rest={[
        {
          key: 'devices',
          label: t(($) => $.act.devices),
          onClick: () => go(paths.deviceList({ project_id })),
        },
        ...(mayBind && mayFindDevices ? [act('bind')] : []),
        {
          key: 'maintenance',
          label: t(($) => $.act.maintenance),
          onClick: () => go(paths.maintenance({ project_id })),
        },
        act('code'),
        ...(mayWrite ? [act('parts')] : []),
        ...(onDelete
          ? [{ key: 'delete', label: t(($) => $.delete.act), onClick: onDelete, danger: true }]
          : []),
      ]}
    />
  );
};
