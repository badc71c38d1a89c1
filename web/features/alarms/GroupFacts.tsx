import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { Severity } from '#web/values/Severity.tsx';
import { type AlarmGroup, type Grouping, openOf, typesOf } from './alarm-groups.ts';

const typesShown = 3;

/** How many alarms a group has, of how many devices, how severe the unprocessed ones are, of which types, since when. */
export const GroupFacts = ({ group, by }: { group: AlarmGroup; by: Grouping }) => {
  const { t } = useTranslation('alarms');
  const formats = useFormats();
  return (
    <>
      <span className="tabular">{t(($) => $.group.count, { count: group.rows.length })}</span>
      {by === 'storm' && group.devices > 1 && (
        <span className="tabular">{t(($) => $.group.devices, { count: group.devices })}</span>
      )}
      {openOf(group).length > 0 ? (
        <Severity severity={group.worst.severity} />
      ) : (
        <span className="soft">{t(($) => $.status.processed)}</span>
      )}
      <span className="soft group-types">
        {typesOf(group)
          .slice(0, typesShown)
          .map(([code, count], index) => (
            <span key={code}>
              {index > 0 && ', '}
              <AlarmTypeName code={code} />
              {count > 1 && ` × ${formats.number(count)}`}
            </span>
          ))}
      </span>
      <LastSeen at={group.rows[0]!.time} />
    </>
  );
};
