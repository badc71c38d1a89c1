import { useTranslation } from 'react-i18next';
import { TimeText } from '#web/values/TimeText.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

const kinds = [
  'raised',
  'escalated',
  'repeated',
  'normal',
  'suppressed',
  'released',
  'tripped',
  'followed',
  'moved',
  'cleared',
  'fleeting',
  'handled',
  'urged',
  'shelved',
  'unshelved',
  'deleted',
  'reset',
] as const;

/** One step of an alarm and who did it, in words. */
export const AlarmStep = ({ step }: { step: AlarmDetailed['history'][number] }) => {
  const { t } = useTranslation('alarms');
  const known = kinds.find((each) => each === step.kind);
  const [content, reason, written] = [step.data['content'], step.data['reason'], step.data['written_at']];
  const said = typeof content === 'string' ? content : typeof reason === 'string' ? reason : null;
  return (
    <>
      {known ? t(($) => $.kind[known]) : step.kind}
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
