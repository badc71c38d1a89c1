import { PhoneOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { late } from '#web/parts/late.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useResetAct } from '#web/parts/use-reset-act.ts';
import { withoutRepeats } from '#web/values/contacts.ts';
import { AlarmRowActions } from './AlarmRowActions.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

const ResetButton = late(
  async () => (await import('#web/parts/ResetButton.tsx')).ResetButton,
  <span className="button-room" />,
);

/** Whether an act is possible: the alarm is unprocessed or still active. */
export const hasFoot = ({ status, active }: AlarmDetailed): boolean => status === 'unprocessed' || active;

/** The actions that an alarm's state requires, near the thumb: reset, handling, its line, a call. */
export const AlarmFoot = ({
  alarm,
  className,
  onHandle,
  onUrge,
  onShelve,
}: {
  alarm: AlarmDetailed;
  className: string;
  onHandle: () => void;
  onUrge: () => void;
  onShelve: () => void;
}) => {
  const { t } = useTranslation('alarms');
  const isOpen = alarm.status === 'unprocessed';
  const lineId = alarm.line_id === 0 ? null : alarm.line_id;
  const reset = useResetAct(alarm.reset_needed && alarm.device_id !== 0 ? alarm.device_id : null, lineId);
  const [first] = withoutRepeats(alarm.contacts);
  return (
    <footer className={className}>
      {reset && (
        <ResetButton
          deviceId={alarm.device_id}
          lineId={lineId}
          where={[alarm.device_number, alarm.line_name].filter(Boolean).join(' · ')}
          main
        />
      )}
      <AlarmRowActions row={alarm} isMain={!reset} onHandle={onHandle} onUrge={onUrge} onShelve={onShelve} />
      {alarm.line_id !== 0 && (
        <PathLink to={paths.line(alarm)} className={`alarm-foot-line${isOpen ? '' : ' is-main'}`}>
          {t(($) => $.detail.toLine)}
        </PathLink>
      )}
      {first && (
        <Button
          size="small"
          href={`tel:${first.phone}`}
          icon={<PhoneOutlined aria-hidden />}
          aria-label={t(($) => $.detail.call, { name: first.name })}
          title={t(($) => $.detail.call, { name: first.name })}
        />
      )}
    </footer>
  );
};
