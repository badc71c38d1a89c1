import { useTranslation } from 'react-i18next';
import { alarmEndText } from '#contract/alarm-ends.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import type { AlarmDetailed } from './alarms.query.ts';

type Step = AlarmDetailed['history'][number];
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
const ending = ['cleared', 'reset', 'followed', 'moved'];

/** Steps of an alarm in words: what happened, and if the step ended the alarm, why it did. */
export const useStepText = ({ source, history, cleared_time }: AlarmDetailed) => {
  const { t } = useTranslation('alarms');
  const kindOf = (step: Step): string => {
    const known = kinds.find((each) => each === step.kind);
    return known ? t(($) => $.kind[known]) : step.kind;
  };
  const endOf = (step: Step): string | null => alarmEndText(step, source, currentLanguage());
  const end = cleared_time === null ? undefined : history.findLast(({ kind }) => ending.includes(kind));
  return {
    /** What ended the alarm; null while it is active. */
    ended: end ? (endOf(end) ?? kindOf(end)) : null,
    textOf: (step: Step): string => [kindOf(step), endOf(step)].filter(Boolean).join(' · '),
  };
};
