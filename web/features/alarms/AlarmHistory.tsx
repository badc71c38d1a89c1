import { useTranslation } from 'react-i18next';
import { TimeText } from '../../values/TimeText.tsx';
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
  'deleted',
  'reset',
] as const;

/** What happened to an alarm and who did it, oldest first, in the reader's words. */
export const AlarmHistory = ({ alarm }: { alarm: AlarmDetailed }) => {
  const { t } = useTranslation('alarms');
  return (
    <ol className="alarm-history">
      {alarm.history.map(({ at, kind, operator, data }) => {
        const known = kinds.find((each) => each === kind);
        const content = data['content'];
        return (
          <li key={`${at} ${kind}`}>
            <TimeText at={at} /> · {known ? t(($) => $.kind[known]) : kind}
            {operator && ` · ${operator}`}
            {typeof content === 'string' && <div>«{content}»</div>}
          </li>
        );
      })}
    </ol>
  );
};
