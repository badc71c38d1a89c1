import { AlarmListPage } from '../../features/alarms/AlarmListPage.tsx';
import { ProjectFrame } from './ProjectFrame.tsx';

export const ProjectAlarms = () => (
  <ProjectFrame screen="earlywarning">
    {(project) => <AlarmListPage key={project.id} project={project} />}
  </ProjectFrame>
);
