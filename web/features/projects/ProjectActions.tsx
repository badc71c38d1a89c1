import { MoreOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import Dropdown from 'antd/es/dropdown/dropdown.js';
import { useTranslation } from 'react-i18next';
import { useCan, useManagesProject } from '#web/api/session.ts';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
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
  const items = [
    { key: 'devices', label: t(($) => $.act.devices) },
    ...(mayBind && mayFindDevices ? [{ key: 'bind', label: t(($) => $.act.bind) }] : []),
    { key: 'maintenance', label: t(($) => $.act.maintenance) },
    { key: 'code', label: t(($) => $.act.code) },
    ...(mayWrite ? [{ key: 'parts', label: t(($) => $.act.parts) }] : []),
    ...(onDelete ? [{ key: 'delete', label: t(($) => $.delete.act), danger: true }] : []),
  ];
  const follow = (key: string) => {
    if (key === 'devices') go(paths.deviceList({ project_id: project.project_id }));
    else if (key === 'maintenance') go(paths.maintenance({ project_id: project.project_id }));
    else if (key === 'delete') onDelete?.();
    else onAct(key as ProjectAct);
  };
  return (
    <>
      {mayWrite && (
        <Button size="small" onClick={() => onAct('edit')}>
          {t(($) => $.act.edit)}
        </Button>
      )}
      <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => follow(key) }}>
        <Button
          size="small"
          icon={<MoreOutlined aria-hidden />}
          aria-label={t(($) => $.act.more, { name: project.name })}
        />
      </Dropdown>
    </>
  );
};
