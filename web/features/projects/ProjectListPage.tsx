import { PlusOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Segmented } from 'antd';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { projectEndpoints } from '#contract/projects.ts';
import { filled } from '#web/api/filled.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { late } from '#web/parts/late.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { rowClassOf } from '#web/parts/table/cell-class.ts';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { listShape, optionalNumber, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { type ProjectAct, ProjectActions } from './ProjectActions.tsx';
import type { ProjectRow } from './projects.query.ts';
import './projects.css';
import { RemoveSelected } from '#web/parts/table/remove.tsx';
import { useProjectColumns } from './use-project-columns.tsx';
import { useProjectDeletion } from './use-project-deletion.tsx';

const RegionField = lazy(async () => ({
  default: (await import('#web/parts/RegionField.tsx')).RegionField,
}));
const BatchResult = late(async () => (await import('#web/parts/BatchResult.tsx')).BatchResult);
const ProjectForm = late(async () => (await import('./ProjectForm.tsx')).ProjectForm);
const BindDevices = late(async () => (await import('./BindDevices.tsx')).BindDevices);
const ProjectParts = late(async () => (await import('./ProjectParts.tsx')).ProjectParts);
const ProjectCode = late(async () => (await import('./ProjectCode.tsx')).ProjectCode);

const sorts = ['name', '-name', 'joined_at', '-joined_at'] as const;
const projectSearch = z.object({
  ...listShape,
  sort: z.enum(sorts).optional().catch(undefined),
  project_name: optionalText,
  region_id: optionalNumber,
  view: optionalOf(['cards']),
  /** The dialog above the list, and its project. */
  open: optionalOf(['add', 'edit', 'bind', 'parts', 'code']),
  of: optionalNumber,
});

export const ProjectListPage = () => {
  const { t } = useTranslation('projects');
  const [search, setSearch] = useUrlState(projectSearch);
  const { page, limit, sort, project_name, region_id, open, of } = search;
  const filters = filled({ project_name, region_id });
  const query = useQuery(keptQuery(projectEndpoints.list, { page, limit, ...filled({ sort }), ...filters }));
  useLiveRefresh(['alarm', 'alarm_update', 'device_state'], [projectEndpoints.list], 5000);
  const columns = useProjectColumns();
  const [mayAdd, mayDelete] = [useCan('project.create'), useCan('project.delete')];
  const deletion = useProjectDeletion();
  const rows = query.data?.list ?? [];
  const close = () => setSearch({ open: undefined, of: undefined });
  const show = (act: ProjectAct, projectId: number) =>
    setSearch({ open: act, of: projectId }, { push: true });
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <Segmented<'table' | 'cards'>
          aria-label={t(($) => $.view.label)}
          value={search.view ?? 'table'}
          onChange={(view) => setSearch({ view: view === 'cards' ? view : undefined }, { push: true })}
          options={(['table', 'cards'] as const).map((value) => ({
            value,
            label: t(($) => $.view[value]),
          }))}
        />
        <ExportButton endpoint={projectEndpoints.export} body={filters} fileName={t(($) => $.title)} />
        {mayAdd && (
          <Button
            type="primary"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => setSearch({ open: 'add' }, { push: true })}
          >
            {t(($) => $.add.act)}
          </Button>
        )}
      </PageHeader>
      <div className="project-filters">
        <FilterBar
          fields={[{ kind: 'text', name: 'project_name', label: t(($) => $.column.name), primary: true }]}
          values={{ project_name }}
          onChange={setSearch}
        />
        <Suspense fallback={<span className="filter-field filter-room" />}>
          <RegionField
            className="filter-field"
            aria-label={t(($) => $.column.region)}
            placeholder={t(($) => $.column.region)}
            anyLevel
            value={region_id}
            onChange={(id) => setSearch({ region_id: id, page: undefined })}
          />
        </Suspense>
      </div>
      <DataTable<ProjectRow>
        id="projects"
        label={t(($) => $.title)}
        columns={columns}
        rowId={({ project_id }) => project_id}
        rowName={({ name }) => name}
        rowClass={({ worst }) => rowClassOf(worst)}
        query={query}
        state={search}
        onState={setSearch}
        asCards={search.view === 'cards'}
        filtered={project_name !== undefined || region_id !== undefined}
        onResetFilters={() => setSearch({ project_name: undefined, region_id: undefined })}
        empty={t(($) => (mayAdd ? $.emptyFirst : $.empty))}
        actions={(row) => (
          <ProjectActions
            project={row}
            onAct={(act) => show(act, row.project_id)}
            onDelete={mayDelete ? () => void deletion.remove([row.project_id]) : null}
          />
        )}
        {...(mayDelete
          ? {
              bulk: (selection, clear) => (
                <RemoveSelected
                  selection={selection}
                  clear={clear}
                  label={t(($) => $.delete.act)}
                  onRemove={deletion.remove}
                />
              ),
            }
          : {})}
      />
      {open === 'add' && mayAdd && <ProjectForm id="new" onClose={close} />}
      {of !== undefined && <OpenOver act={open} id={of} rows={rows} onClose={close} />}
      <BatchResult
        outcomes={
          deletion.outcomes?.map(({ message, reason, ...row }) => ({ ...row, reason: message ?? reason })) ??
          null
        }
        nameOf={(id) => rows.find(({ project_id }) => project_id === id)?.name ?? `#${id}`}
        reasonOf={(reason) => reason}
        isDelete
        onClose={deletion.close}
      />
    </>
  );
};

/** The dialog above the list, about one project. */
const OpenOver = ({
  act,
  id,
  rows,
  onClose,
}: {
  act: ProjectAct | 'add' | undefined;
  id: number;
  rows: readonly ProjectRow[];
  onClose: () => void;
}) => {
  // Its name is known from the list, or from the link that led here.
  const listed = rows.find(({ project_id }) => project_id === id);
  const asked = useQuery({
    ...endpointQuery(projectEndpoints.options, { project_id: id, limit: 1 }),
    enabled: listed === undefined,
  });
  const name = listed?.name ?? asked.data?.list[0]?.name;
  if (act === 'edit') return <ProjectForm id={id} onClose={onClose} />;
  if (act === 'code') return <ProjectCode id={id} onClose={onClose} />;
  if (name === undefined) return null;
  if (act === 'bind') return <BindDevices project={{ id, name }} onClose={onClose} />;
  return act === 'parts' ? <ProjectParts project={{ id, name }} onClose={onClose} /> : null;
};
