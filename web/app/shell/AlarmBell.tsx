import { BellOutlined } from '@ant-design/icons';
import { Badge, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useGo } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { useUnprocessed } from './use-unprocessed.ts';

/** How many alarms are unprocessed. */
export const AlarmBell = () => {
  const { t } = useTranslation('shell');
  const go = useGo();
  const count = useUnprocessed();
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
