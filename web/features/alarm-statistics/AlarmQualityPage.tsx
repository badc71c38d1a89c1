import { useQuery } from '@tanstack/react-query';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { alarmQualityEndpoints } from '#contract/alarm-quality.ts';
import { keptQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { DayRange, dayRangeBody } from '#web/parts/DayRange.tsx';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PrintButton } from '#web/parts/PrintButton.tsx';
import { useUrlState } from '#web/parts/url-state.ts';
import './alarm-statistics.css';
import { QualityView } from './QualityView.tsx';
import { qualityListLinkOf, qualitySearch } from './quality.ts';

const positionChoices = ['1', '2', '3', '4', '5', '6', '8', '10'];

/** Alarm performance figures (ISA-18.2, IEC 62682), for all projects or one. */
export const AlarmQualityPage = ({ project }: { project?: { id: number; name: string } }) => {
  const { t } = useTranslation('alarmStatistics');
  const formats = useFormats();
  const [search, setSearch] = useUrlState(qualitySearch);
  const body = {
    ...dayRangeBody(search),
    ...(search.positions ? { positions: Number(search.positions) } : {}),
    ...(project ? { project_id: project.id } : {}),
  };
  const query = useQuery(keptQuery(alarmQualityEndpoints.quality, body));
  const name = t(($) => $.title.quality);
  const title = project ? `${project.name} · ${name}` : name;
  return (
    <>
      <PageHeader title={title}>
        <PrintButton />
        <ExportButton endpoint={alarmQualityEndpoints.exportQuality} body={body} fileName={title} />
      </PageHeader>
      <div className="statistics-filters">
        <DayRange value={search} shown={query.data} onChange={setSearch} />
        <Select
          aria-label={t(($) => $.quality.positionsLabel)}
          value={search.positions ?? '1'}
          onChange={(positions) => setSearch({ positions: positions === '1' ? undefined : positions })}
          options={positionChoices.map((value) => ({
            value,
            label: t(($) => $.quality.positions, { count: Number(value) }),
          }))}
        />
      </div>
      <DataState query={query} rows={12}>
        {(quality) => (
          <>
            <p className="print-only">
              {formats.day(quality.first_day)} – {formats.day(quality.last_day)}
            </p>
            <QualityView quality={quality} linkOf={qualityListLinkOf(quality, project?.id)} />
            <p className="soft">{t(($) => $.zone, { zone: quality.zone })}</p>
          </>
        )}
      </DataState>
    </>
  );
};
