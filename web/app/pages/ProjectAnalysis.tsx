import { AlarmAnalysisPage } from '#web/features/alarm-statistics/AlarmStatisticsPage.tsx';
import { TrendsPanel } from '#web/features/trends/TrendsPanel.tsx';

/** How the alarms of a project were handled, and which lines show early signs of alarms. */
export const ProjectAnalysis = ({ project }: { project: { id: number; name: string } }) => (
  <AlarmAnalysisPage project={project} below={<TrendsPanel projectId={project.id} />} />
);
