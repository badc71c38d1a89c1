import { useTranslation } from 'react-i18next';
import { projectKindWords } from '#contract/columns.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { TagBadge } from '#web/values/TagBadge.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { LineCounts } from './LineCounts.tsx';
import type { ProjectRow } from './projects.query.ts';
import { Share } from './Share.tsx';

export const useProjectColumns = (): DataColumn<ProjectRow>[] => {
  const { t } = useTranslation('projects');
  const formats = useFormats();
  const unitOf = useUnit();
  useLiveRefresh(['tag'], [projectEndpoints.list], 500);
  return [
    {
      key: 'name',
      title: t(($) => $.column.name),
      sort: 'name',
      required: true,
      wraps: true,
      render: (row) => (
        <>
          <PathLink to={paths.projectView(row.project_id)} className="short-text">
            {row.name}
          </PathLink>
          {row.tags.map(({ tag_id, reason, owner }) => (
            <span key={tag_id} className="project-tag">
              <TagBadge reason={reason} owner={owner} />
            </span>
          ))}
        </>
      ),
    },
    {
      key: 'worst',
      title: t(($) => $.column.worst),
      card: 'state',
      render: (row) =>
        row.unprocessed === 0 ? (
          <span className="soft">{t(($) => $.quiet)}</span>
        ) : (
          <PathLink
            to={paths.alarmList({ project_id: row.project_id, status: 'unprocessed' })}
            className="nowrap"
          >
            <AlarmLevel level={row.worst} compact /> {t(($) => $.unprocessed, { count: row.unprocessed })}
          </PathLink>
        ),
    },
    {
      key: 'online',
      title: t(($) => $.column.online),
      render: (row) => (
        <PathLink to={paths.deviceList({ project_id: row.project_id })}>
          <Share share={row.online_rate} note={`${row.devices_online} / ${row.devices}`} />
        </PathLink>
      ),
    },
    { key: 'lines', title: t(($) => $.column.lines), wraps: true, render: (row) => <LineCounts row={row} /> },
    {
      key: 'handled',
      title: t(($) => $.column.handled),
      render: (row) => (
        <Share share={row.month_handling_rate} note={`${row.month_processed} / ${row.month_raised}`} />
      ),
    },
    {
      key: 'unprocessedShare',
      title: t(($) => $.column.unprocessedShare),
      hidden: true,
      render: (row) => (
        <Share
          share={row.month_unprocessed_rate}
          note={`${row.month_raised - row.month_processed} / ${row.month_raised}`}
        />
      ),
    },
    {
      key: 'kind',
      title: t(($) => $.column.kind),
      hidden: true,
      render: (row) => projectKindWords[row.kind as 'other']?.[currentLanguage()] ?? row.kind,
    },
    {
      key: 'region',
      title: t(($) => $.column.region),
      wraps: true,
      hidden: true,
      render: (row) => row.region,
    },
    {
      key: 'address',
      title: t(($) => $.column.address),
      wraps: 'text',
      hidden: true,
      render: (row) => row.address || '—',
    },
    {
      key: 'detailed',
      title: t(($) => $.column.detailed),
      wraps: 'text',
      hidden: true,
      render: (row) => row.detailed_address || '—',
    },
    { key: 'zone', title: t(($) => $.column.zone), hidden: true, render: (row) => row.time_zone },
    {
      key: 'contact',
      title: t(($) => $.column.contact),
      wraps: true,
      render: (row) => (
        <span>
          {row.contact_name}{' '}
          {row.contact_phone && (
            <a href={`tel:${row.contact_phone}`} className="tabular">
              {row.contact_phone}
            </a>
          )}
        </span>
      ),
    },
    {
      key: 'area',
      title: t(($) => $.column.area),
      hidden: true,
      align: 'right',
      render: (row) => (row.area_m2 === null ? '—' : `${formats.number(row.area_m2)}\u00a0${unitOf('m²')}`),
    },
    {
      key: 'contracted',
      title: t(($) => $.column.contractedPower),
      hidden: true,
      align: 'right',
      render: (row) =>
        row.contract_kw === null ? '—' : `${formats.number(row.contract_kw)}\u00a0${unitOf('kW')}`,
    },
    { key: 'code', title: t(($) => $.column.code), hidden: true, render: (row) => row.project_codeid },
    {
      key: 'joined',
      title: t(($) => $.column.joined),
      sort: 'joined_at',
      hidden: true,
      render: (row) => <TimeText at={row.joined_at} kind="date" />,
    },
  ];
};
