import { TimeText } from '#web/values/TimeText.tsx';
import type { AlarmDetailed } from './alarms.query.ts';
import { useStepText } from './step-text.ts';

/** When an alarm ended, and what ended it. */
export const AlarmEnded = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { ended } = useStepText(alarm);
  return (
    <>
      <TimeText at={alarm.cleared_time} />
      {ended !== null && ` · ${ended}`}
    </>
  );
};
