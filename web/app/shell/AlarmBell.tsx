import { BellOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { App, Badge, Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import type { LiveEvent } from '#contract/live.ts';
import { useLive } from '../../api/live.ts';
import { endpointQuery, keyOf } from '../../api/query.ts';
import { useGo } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { usePrefs } from '../../theme/prefs.ts';
import { AlarmTypeName } from '../../values/AlarmTypeName.tsx';
import { beep } from './beep.ts';

const settleMs = 400;

/** Unprocessed alarms: the count, and a notice for each that arrives while the console is open. */
export const AlarmBell = () => {
  const { t } = useTranslation('shell');
  const { notification } = App.useApp();
  const client = useQueryClient();
  const go = useGo();
  const { data } = useQuery(endpointQuery(dashboardEndpoints.census, {}));
  const timer = useRef<number | undefined>(undefined);
  const fresh = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const recount = () => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      void client.invalidateQueries({ queryKey: keyOf(dashboardEndpoints.census) });
    }, settleMs);
  };
  useLive('alarm_update', recount);
  useLive('alarm', (alarm: LiveEvent['alarm']) => {
    recount();
    if (alarm.quiet || alarm.level < 2) return;
    fresh.current += 1;
    if (usePrefs.getState().sound) beep();
    const others = fresh.current - 1;
    notification.warning({
      key: 'alarm',
      duration: 12,
      title: <AlarmTypeName code={alarm.typeNumber} />,
      description: others > 0 ? t(($) => $.bell.more, { count: others }) : t(($) => $.bell.one),
      actions: (
        <Button
          size="small"
          type="primary"
          onClick={() => {
            notification.destroy('alarm');
            go(others > 0 ? paths.alarmList() : paths.alarm(alarm.id));
          }}
        >
          {t(($) => $.bell.show)}
        </Button>
      ),
      onClose: () => {
        fresh.current = 0;
      },
    });
  });

  const count = data?.unprocessed ?? 0;
  return (
    <Badge count={count} overflowCount={999} size="small" offset={[-2, 2]}>
      <Button
        type="text"
        icon={<BellOutlined />}
        aria-label={t(($) => $.bell.label, { count })}
        onClick={() => go(paths.alarmList({ status: 'unprocessed' }))}
      />
    </Badge>
  );
};
