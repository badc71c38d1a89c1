import { BellOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Badge, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { useGo } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';

/** How many alarms are unprocessed. */
export const AlarmBell = () => {
  const { t } = useTranslation('shell');
  const go = useGo();
  const { data } = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  useLiveRefresh(['alarm', 'alarm_update'], [dashboardEndpoints.census], 1000);
  const count = data?.unprocessed ?? 0;
  return (
    <Badge count={count} overflowCount={999} size="small" offset={[-6, 6]}>
      <Button
        type="text"
        icon={<BellOutlined />}
        aria-label={t(($) => $.bell.label, { count })}
        onClick={() => go(paths.alarmList({ status: 'unprocessed' }))}
      />
    </Badge>
  );
};
