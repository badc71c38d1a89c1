import { DownOutlined, RightOutlined, ThunderboltOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { type AlarmGroup, type Grouping, openOf, titleOf } from '../alarm-groups.ts';
import { GroupFacts } from '../GroupFacts.tsx';

/**
 * Header above the rows of one device or event: how many, how severe, since when; handled or reminded as one.
 */
export const QueueHead = ({
  group,
  by,
  isFolded,
  width,
  onFold,
  onHandle,
  onUrge,
}: {
  group: AlarmGroup;
  by: Grouping;
  isFolded: boolean;
  width: number;
  onFold: () => void;
  onHandle: (ids: readonly number[]) => void;
  onUrge: (ids: readonly number[]) => void;
}) => {
  const { t } = useTranslation('alarms');
  const [canHandle, canUrge] = [useCan('alarm.handle'), useCan('alarm.urge')];
  const waiting = openOf(group);
  return (
    <tr className="queue-head">
      <th colSpan={width} scope="rowgroup" className="queue-head-cell">
        <span className="queue-head-line">
          <button type="button" className="queue-fold" aria-expanded={!isFolded} onClick={onFold}>
            {isFolded ? <RightOutlined aria-hidden /> : <DownOutlined aria-hidden />}{' '}
            {by === 'storm' && group.storm && <ThunderboltOutlined aria-hidden />} {titleOf(group, by)}
          </button>
          <GroupFacts group={group} by={by} />
          {waiting.length > 0 && canHandle && (
            <button type="button" className="queue-act is-worded" onClick={() => onHandle(waiting)}>
              {t(($) => $.group.handle, { count: waiting.length })}
            </button>
          )}
          {waiting.length > 0 && canUrge && (
            <button type="button" className="queue-act is-worded" onClick={() => onUrge(waiting)}>
              {t(($) => $.urge.act)}
            </button>
          )}
        </span>
      </th>
    </tr>
  );
};
