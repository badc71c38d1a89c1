import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { valueTypes } from '#contract/alarm-catalogue.ts';
import { alarmEndpoints } from '#contract/alarms.ts';
import { endpointQuery } from '#web/api/query.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmQuantity } from '#web/values/AlarmQuantity.tsx';
import { AlarmTypeIcon } from '#web/values/AlarmTypeIcon.tsx';
import { AlarmTypeName, alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { Severity } from '#web/values/Severity.tsx';
import type { PopupGroup } from './popup-queue.ts';

/** The name comes with the live event and is shown at once; project and repetitions follow. */
export const PopupAlarm = ({ group: { lead, ids } }: { group: PopupGroup }) => {
  const { t, i18n } = useTranslation('popups');
  const { data } = useQuery({ ...endpointQuery(alarmEndpoints.detail, { id: lead.id }), staleTime: 60_000 });
  return (
    <>
      <p className="popup-title">
        <AlarmTypeIcon code={lead.typeNumber} size={24} />
        <strong>
          <AlarmTypeName code={lead.typeNumber} />
        </strong>
        <AlarmLevel level={lead.level} />
      </p>
      {lead.heldBackBy !== undefined && (
        <p className="soft">
          {t(($) => $.heldBack, { cause: alarmTypeName(lead.heldBackBy, i18n.language) })}
        </p>
      )}
      <p className="popup-place">
        {data ? [data.project_name, data.device_number, data.line_name].filter(Boolean).join(' · ') : ' '}
      </p>
      <p className="soft">
        <Severity severity={lead.severity} />
        {data?.phase && ` · ${t(($) => $.phase, { phase: data.phase.toUpperCase() })}`}
        {data && data.value !== null && data.value_type !== valueTypes.state && (
          <>
            {' · '}
            <AlarmQuantity alarm={data} of="value" />
            {data.threshold !== null && (
              <>
                {' / '}
                <AlarmQuantity alarm={data} of="threshold" />
              </>
            )}
          </>
        )}
        {' · '}
        <LastSeen at={data?.time ?? new Date(lead.at).toISOString()} />
        {ids.length > 1 && ` · ${t(($) => $.more, { count: ids.length - 1 })}`}
      </p>
    </>
  );
};
