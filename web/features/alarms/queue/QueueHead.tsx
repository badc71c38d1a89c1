import { DownOutlined, RightOutlined, ThunderboltOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { Severity } from '#web/values/Severity.tsx';
import type { AlarmGroup } from '../alarm-groups.ts';

const typesShown = 3;
const typesOf = ({ rows }: AlarmGroup) =>
  [...Map.groupBy(rows, ({ typeNumber }) => typeNumber)]
    .map(([code, group]) => [code, group.length] as const)
    .sort((a, b) => b[1] - a[1]);

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
  by: 'device' | 'storm';
  isFolded: boolean;
  width: number;
  onFold: () => void;
  onHandle: (ids: readonly number[]) => void;
  onUrge: (ids: readonly number[]) => void;
}) => {
  const { t } = useTranslation('alarms');
  const [canHandle, canUrge] = [useCan('alarm.handle'), useCan('alarm.urge')];
  const { worst, rows } = group;
  const waiting = rows.filter(({ status }) => status === 'unprocessed').map(({ id }) => id);
  const title =
    by === 'device'
      ? [worst.device_number, worst.project_name].filter(Boolean).join(' · ')
      : worst.project_name || worst.device_number;
  return (
    <tr className="queue-head">
      <th colSpan={width} scope="rowgroup" className="queue-head-cell">
        <span className="queue-head-line">
          <button type="button" className="queue-fold" aria-expanded={!isFolded} onClick={onFold}>
            {isFolded ? <RightOutlined aria-hidden /> : <DownOutlined aria-hidden />}{' '}
            {by === 'storm' && group.storm && <ThunderboltOutlined aria-hidden />} {title}
          </button>
          <span className="tabular">{t(($) => $.group.count, { count: rows.length })}</span>
          {by === 'storm' && group.devices > 1 && (
            <span className="tabular">{t(($) => $.group.devices, { count: group.devices })}</span>
          )}
          <Severity severity={worst.severity} />
          <span className="soft queue-head-types">
            {typesOf(group)
              .slice(0, typesShown)
              .map(([code, count], index) => (
                <span key={code}>
                  {index > 0 && ', '}
                  <AlarmTypeName code={code} /> {count}
                </span>
              ))}
          </span>
          <LastSeen at={rows[0]!.time} />
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
