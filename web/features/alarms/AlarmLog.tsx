import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { AlarmTypeIcon } from '#web/values/AlarmTypeIcon.tsx';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { AlarmLasted } from './AlarmLasted.tsx';
import { AlarmValue } from './AlarmValue.tsx';
import { type AlarmSearch, logBodyOf, logFilterOf } from './alarm-search.ts';
import { type AlarmLogEntry, alarmLogQuery } from './alarms.query.ts';

/** Occurrences that are not alarms to handle: shorter than two seconds, or of a switched-off type. */
export const AlarmLog = ({
  search,
  onChange,
  filtered,
  onResetFilters,
  onOpen,
  ofProject,
}: {
  search: AlarmSearch;
  onChange: SetUrl;
  filtered: boolean;
  onResetFilters: () => void;
  onOpen: (id: number) => void;
  ofProject: boolean;
}) => {
  const { t } = useTranslation('alarms');
  const query = useQuery(alarmLogQuery(logBodyOf(search)));
  const columns: readonly DataColumn<AlarmLogEntry>[] = [
    {
      key: 'type',
      title: t(($) => $.column.type),
      required: true,
      card: 'title',
      render: ({ typeNumber, phase, alarm_id }) => {
        const name = (
          <>
            <AlarmTypeIcon code={typeNumber} size={18} /> <AlarmTypeName code={typeNumber} />
            {phase && <span className="soft"> {phase.toUpperCase()}</span>}
          </>
        );
        return alarm_id === null ? (
          <span className="alarm-narrow">{name}</span>
        ) : (
          <button type="button" className="link-button alarm-narrow" onClick={() => onOpen(alarm_id)}>
            {name}
          </button>
        );
      },
    },
    {
      key: 'level',
      title: t(($) => $.column.level),
      card: 'state',
      render: ({ level }) => <AlarmLevel level={level} />,
    },
    {
      key: 'time',
      title: t(($) => $.column.time),
      sort: 'time',
      render: ({ time }) => <TimeText at={time} />,
    },
    {
      key: 'lasted',
      title: t(($) => $.log.lasted),
      align: 'right',
      render: ({ time, ended_time }) => <AlarmLasted from={time} to={ended_time} />,
    },
    {
      key: 'reason',
      title: t(($) => $.log.why),
      render: ({ reason }) => t(($) => $.log.reason[reason]),
    },
    {
      key: 'value',
      title: t(($) => $.column.value),
      align: 'right',
      render: (row) => (
        <span className="alarm-value">
          <AlarmValue row={row} />
        </span>
      ),
    },
    {
      key: 'device',
      title: t(($) => $.column.device),
      render: ({ device_id, device_number, line_name, project_id, project_name }) => (
        <span className="alarm-standing">
          <span>
            <PathLink to={paths.device(device_id)} className="tabular">
              {device_number}
            </PathLink>
            {line_name && ` · ${line_name}`}
          </span>
          {!ofProject && project_id !== null && (
            <PathLink to={paths.project('earlywarning', project_id)} className="soft">
              {project_name}
            </PathLink>
          )}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      id="alarmLog"
      label={t(($) => $.log.title)}
      columns={columns}
      rowId={({ place }) => place}
      rowName={({ device_number, time }) => `${device_number} ${time}`}
      query={query}
      state={search}
      onState={onChange}
      filtered={filtered}
      onResetFilters={onResetFilters}
      empty={t(($) => $.log.empty)}
      tools={
        <>
          {query.data?.more && <span className="soft">{t(($) => $.log.more)}</span>}
          <ExportButton
            endpoint={alarmEndpoints.exportLog}
            body={logFilterOf(search)}
            fileName={t(($) => $.log.title)}
          />
        </>
      }
    />
  );
};
