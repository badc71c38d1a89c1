import { NoticeListPage } from '../../features/notices/NoticeListPage.tsx';
import { ProjectFrame } from './ProjectFrame.tsx';

export const ProjectNotices = () => (
  <ProjectFrame screen="warningnotice">
    {(project) => <NoticeListPage key={project.id} project={project} />}
  </ProjectFrame>
);
