import { useQuery } from '@tanstack/react-query';
import { controlEndpoints } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';

type Act = ReplyOf<typeof controlEndpoints.possible>['actions'][number];

/** Whether a device or a line can be reset now; undefined while unknown, or if it has no reset. */
export const useResetAct = (deviceId: number | null, lineId: number | null): Act | undefined => {
  const { data } = useQuery({
    ...endpointQuery(controlEndpoints.possible, { device_id: deviceId ?? 0 }),
    enabled: deviceId !== null,
  });
  useLiveRefresh(
    ['command', 'alarm', 'alarm_update', 'device_state'],
    [controlEndpoints.possible],
    1000,
    (event) => 'device_id' in event && event.device_id === deviceId,
  );
  const act = data?.actions.find(({ action, line_id }) => action === 'reset' && line_id === lineId);
  return act?.reason === 'unsupported' ? undefined : act;
};
