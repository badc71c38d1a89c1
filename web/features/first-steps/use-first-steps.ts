import { useQuery } from '@tanstack/react-query';
import { deviceEndpoints } from '#contract/devices.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { paths } from '#web/parts/paths.ts';

type StepName = 'project' | 'device' | 'online' | 'rule';
interface Step {
  name: StepName;
  done: boolean;
  /** The address of the screen for the step. */
  to: string;
}
const one = { limit: 1 };

/** The steps that an empty installation needs, and their progress; null while unknown. */
export const useFirstSteps = (): readonly Step[] | null => {
  const projects = useQuery(endpointQuery(projectEndpoints.list, one));
  const devices = useQuery(endpointQuery(deviceEndpoints.list, { ...one, bound: true }));
  // A device that reported once is connected: its step stays done while it is offline.
  const heard = useQuery(endpointQuery(deviceEndpoints.list, { ...one, sort: '-last_seen' }));
  const rules = useQuery(endpointQuery(noticeEndpoints.list, one));
  useLiveRefresh(['device_state'], [deviceEndpoints.list], 5000);
  if (!projects.data || !devices.data || !heard.data || !rules.data) return null;
  // A completed step links to the list that shows its result.
  const [project, device, rule] = [projects.data.total > 0, devices.data.total > 0, rules.data.total > 0];
  return [
    { name: 'project', done: project, to: paths.projectList(project ? {} : { open: 'add' }) },
    { name: 'device', done: device, to: paths.deviceList(device ? {} : { add: '1' }) },
    {
      name: 'online',
      done: heard.data.list.some(({ last_seen }) => last_seen !== null),
      to: paths.deviceList(),
    },
    { name: 'rule', done: rule, to: paths.notices(rule ? {} : { add: '1' }) },
  ];
};
/** The next step. */
export const nextOf = (steps: readonly Step[]): Step | undefined => steps.find(({ done }) => !done);
