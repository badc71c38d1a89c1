import { useTranslation } from 'react-i18next';
import type { MaintenanceRow } from '#contract/maintenance.ts';
import { maintenanceKindWords } from '#contract/maintenance-words.ts';
import { useFormats } from '#web/i18n/format.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { TimeText } from '#web/values/TimeText.tsx';

export const useMaintenanceColumns = (
  onOpen: (id: number) => void,
  ofProject: boolean,
): DataColumn<MaintenanceRow>[] => {
  const { t } = useTranslation('maintenance');
  const language = currentLanguage();
  const { list: listOf } = useFormats();
  return [
    {
      key: 'time',
      title: t(($) => $.column.time),
      sort: 'maintenance_time',
      required: true,
      card: 'line',
      render: (row) => <TimeText at={row.maintenance_time} />,
    },
    {
      key: 'content',
      title: t(($) => $.column.content),
      wraps: 'text',
      required: true,
      card: 'title',
      render: (row) => (
        <button type="button" className="link-button maintenance-open" onClick={() => onOpen(row.record_id)}>
          {row.content}
        </button>
      ),
    },
    {
      key: 'kind',
      title: t(($) => $.column.kind),
      card: 'state',
      render: (row) => maintenanceKindWords[row.kind][language],
    },
    ...(ofProject
      ? []
      : [
          {
            key: 'project',
            title: t(($) => $.column.project),
            wraps: 'name' as const,
            render: (row: MaintenanceRow) => (
              <PathLink to={paths.projectView(row.project_id)}>{row.project_name}</PathLink>
            ),
          },
        ]),
    {
      key: 'device',
      title: t(($) => $.column.device),
      wraps: 'name',
      render: (row) =>
        row.device_id === null ? (
          '—'
        ) : (
          <span>
            <span className="tabular">{row.device_number}</span>{' '}
            <span className="soft">{listOf(row.lines.map(({ n, name }) => name || n))}</span>
          </span>
        ),
    },
    {
      key: 'address',
      title: t(($) => $.column.address),
      wraps: 'text',
      hidden: true,
      render: (row) => row.address || '—',
    },
    {
      key: 'handler',
      title: t(($) => $.column.handler),
      wraps: true,
      render: (row) => (
        <span>
          {row.handler_name}{' '}
          <a href={`tel:${row.handler_phone}`} className="tabular nowrap">
            {row.handler_phone}
          </a>
        </span>
      ),
    },
    {
      key: 'fault',
      title: t(($) => $.column.fault),
      wraps: 'text',
      hidden: true,
      render: (row) => row.fault_content || '—',
    },
    { key: 'result', title: t(($) => $.column.result), wraps: 'text', render: (row) => row.result || '—' },
    {
      key: 'suggestion',
      title: t(($) => $.column.suggestion),
      wraps: 'text',
      hidden: true,
      render: (row) => row.suggestion || '—',
    },
    {
      key: 'images',
      title: t(($) => $.column.images),
      align: 'right',
      render: (row) => row.before_images.length + row.after_images.length,
    },
  ];
};
