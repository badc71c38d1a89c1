import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import type { ReplyOf } from '#contract/endpoint.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { endpointQuery } from '../../api/query.ts';
import { useLiveRefresh } from '../../api/use-live-refresh.ts';
import { useFormats } from '../../i18n/format.ts';
import { FilterBar } from '../../parts/FilterBar.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { PathLink } from '../../parts/PathLink.tsx';
import { paths } from '../../parts/paths.ts';
import { DataTable } from '../../parts/table/DataTable.tsx';
import type { DataColumn } from '../../parts/table/types.ts';
import { listShape, optionalText, useUrlState } from '../../parts/url-state.ts';
import { AlarmLevel } from '../../values/AlarmLevel.tsx';
import { TagBadge } from '../../values/TagBadge.tsx';
import { TimeText } from '../../values/TimeText.tsx';
import { Share } from './Share.tsx';
import './projects.css';

type ProjectRow = ReplyOf<typeof projectEndpoints.list>['list'][number];
const mostTags = 200;
const sorts = ['name', '-name', 'joined_at', '-joined_at'] as const;
const projectSearch = z.object({
  ...listShape,
  sort: z.enum(sorts).optional().catch(undefined),
  project_name: optionalText,
});

export const ProjectListPage = () => {
  const { t } = useTranslation('projects');
  const formats = useFormats();
  const [search, setSearch] = useUrlState(projectSearch);
  const { page, limit, sort, project_name } = search;
  const query = useQuery({
    ...endpointQuery(projectEndpoints.list, {
      page,
      limit,
      ...(sort ? { sort } : {}),
      ...(project_name ? { project_name } : {}),
    }),
    placeholderData: keepPreviousData,
  });
  const tags = useQuery(endpointQuery(tagEndpoints.list, { standing: true, limit: mostTags }));
  const tagsOf = ({ project_id }: ProjectRow) =>
    (tags.data?.list ?? []).filter((tag) => tag.on === 'project' && tag.project_id === project_id);
  useLiveRefresh(['alarm', 'alarm_update', 'device_state'], [projectEndpoints.list], 5000);
  useLiveRefresh(['tag'], [tagEndpoints.list], 500);
  const columns: DataColumn<ProjectRow>[] = [
    {
      key: 'name',
      title: t(($) => $.column.name),
      sort: 'name',
      required: true,
      render: (row) => (
        <>
          <PathLink to={paths.deviceList({ project_id: row.project_id })}>{row.name}</PathLink>
          {tagsOf(row).map(({ tag_id, reason, owner }) => (
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
      render: (row) => <Share share={row.online_rate} note={`${row.devices_online} / ${row.devices}`} />,
    },
    {
      key: 'handled',
      title: t(($) => $.column.handled),
      render: (row) => (
        <Share share={row.month_handling_rate} note={`${row.month_processed} / ${row.month_raised}`} />
      ),
    },
    { key: 'region', title: t(($) => $.column.region), render: (row) => row.region },
    { key: 'address', title: t(($) => $.column.address), hidden: true, render: (row) => row.address || '—' },
    {
      key: 'contact',
      title: t(($) => $.column.contact),
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
      render: (row) => (row.area_m2 === null ? '—' : `${formats.number(row.area_m2)} m²`),
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
  return (
    <>
      <PageHeader title={t(($) => $.title)} />
      <FilterBar
        fields={[{ kind: 'text', name: 'project_name', label: t(($) => $.column.name), primary: true }]}
        values={{ project_name }}
        onChange={setSearch}
      />
      <DataTable
        id="projects"
        label={t(($) => $.title)}
        columns={columns}
        rowId={({ project_id }) => project_id}
        rowName={({ name }) => name}
        rowClass={({ worst }) => (worst >= 2 ? 'row-alarm' : worst === 1 ? 'row-early' : '')}
        query={query}
        state={search}
        onState={setSearch}
        filtered={project_name !== undefined}
        onResetFilters={() => setSearch({ project_name: undefined })}
        empty={t(($) => $.empty)}
      />
    </>
  );
};
