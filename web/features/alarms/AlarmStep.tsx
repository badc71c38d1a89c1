import { useTranslation } from 'react-i18next';
import { TimeText } from '#web/values/TimeText.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

/** One step of an alarm and who did it, in words. */
export const AlarmStep = ({
  step,
  text,
}: {
  step: AlarmDetailed['history'][number];
  /** What happened. */
  text: string;
}) => {
  const { t } = useTranslation('alarms');
  const [content, reason, written] = [step.data['content'], step.data['reason'], step.data['written_at']];
  const said = typeof content === 'string' ? content : typeof reason === 'string' ? reason : null;
  return (
    <>
      {text}
      {step.operator && ` · ${step.operator}`}
      {typeof written === 'string' && (
        <>
          {' · '}
          {t(($) => $.outbox.written)} <TimeText at={written} />
        </>
      )}
      {said !== null && <div>«{said}»</div>}
    </>
  );
};
