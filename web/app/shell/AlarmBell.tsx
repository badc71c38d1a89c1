import { BellOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useGo } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { CountBadge } from '#web/values/CountBadge.tsx';
import { useAsOf } from '#web/values/use-as-of.ts';
import { useUnprocessed } from './use-unprocessed.ts';

/** How many alarms are unprocessed. */
export const AlarmBell = () => {
  const { t } = useTranslation('shell');
  const go = useGo();
  const count = useUnprocessed();
  const asOf = useAsOf();
  const label = count === undefined ? t(($) => $.bell.unknown) : asOf(t(($) => $.bell.label, { count }));
  return (
    <span className="alarm-bell">
      <Button
        type="text"
        icon={<BellOutlined />}
        aria-label={label}
        onClick={() => go(paths.alarmList({ status: 'unprocessed' }))}
      />
      <CountBadge count={count} title={count === undefined ? label : undefined} />
    </span>
  );
};
