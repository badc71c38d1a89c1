import { useTranslation } from 'react-i18next';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmLasted } from './AlarmLasted.tsx';
import type { AlarmDetailed } from './alarms.query.ts';

/** Earlier alarms on the same line, how long they lasted and how they were handled. */
export const AlarmEarlier = ({
  earlier,
  onShow,
}: {
  earlier: AlarmDetailed['earlier'];
  onShow: (id: number) => void;
}) => {
  const { t } = useTranslation('alarms');
  if (earlier.length === 0) return <p className="soft">{t(($) => $.earlier.none)}</p>;
  return (
    <ul className="plain-list alarm-earlier">
      {earlier.map((each) => (
        <li key={each.id}>
          <span>
            <button type="button" className="link-button" onClick={() => onShow(each.id)}>
              <AlarmLevel level={each.level} compact /> <TimeText at={each.time} />
            </button>{' '}
            <AlarmLasted from={each.time} to={each.cleared_time} />
          </span>
          <span>
            {each.processing_content === null ? (
              <span className="soft">{t(($) => $.status.unprocessed)}</span>
            ) : (
              <>
                «{each.processing_content}»{' '}
                {each.processed_by && <span className="soft">{each.processed_by}</span>}
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};
