import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { trendEndpoints } from '#contract/trends.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { late } from '#web/parts/late.tsx';
import { rowHeader } from '#web/parts/table/cell-class.ts';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import type { TrendRow } from './trends.ts';
import { useTrendWords } from './use-trend-words.ts';

const TrendDrawer = late(async () => (await import('./TrendDrawer.tsx')).TrendDrawer);
const search = z.object({ trend: optionalNumber });

/** Lines of a device or project with early signs of problems; each opens its data. */
export const TrendsPanel = ({ deviceId, projectId }: { deviceId?: number; projectId?: number }) => {
  const { t } = useTranslation('trends');
  const [{ trend }, setSearch] = useUrlState(search);
  const query = useQuery(
    endpointQuery(trendEndpoints.list, {
      ...(deviceId === undefined ? {} : { device_id: deviceId }),
      ...(projectId === undefined ? {} : { project_id: projectId }),
    }),
  );
  return (
    <section className="panel" aria-labelledby="trends">
      <h2 id="trends">{t(($) => $.title)}</h2>
      <DataState query={query} rows={3} isEmpty={({ lines }) => lines === 0} empty={t(($) => $.empty)}>
        {({ list, lines, warnings }) => (
          <>
            <p className="soft">
              {t(($) => $.summary, { warnings, lines })} {t(($) => $.about)}
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region has to be reachable by keyboard */}
            <section className="figure-table-room" tabIndex={0} aria-label={t(($) => $.title)}>
              <table className="figure-table" aria-label={t(($) => $.title)}>
                <thead>
                  <tr>
                    <th scope="col">{t(($) => $.line)}</th>
                    <th scope="col">{t(($) => $.leakage)}</th>
                    <th scope="col">{t(($) => $.joint)}</th>
                    {withArcs(list) && <th scope="col">{t(($) => $.arcs)}</th>}
                  </tr>
                </thead>
                <tbody>
                  {list.map((row) => (
                    <TrendLine
                      key={row.line_id}
                      row={row}
                      withDevice={deviceId === undefined}
                      withArcs={withArcs(list)}
                      onShow={() => setSearch({ trend: row.line_id }, { push: true })}
                    />
                  ))}
                </tbody>
              </table>
            </section>
          </>
        )}
      </DataState>
      {trend !== undefined && <TrendDrawer lineId={trend} onClose={() => setSearch({ trend: undefined })} />}
    </section>
  );
};

/**
 * Whether to show the column of arcs: most installations have no arc detectors, and most lines have no arcs.
 */
const withArcs = (list: readonly TrendRow[]): boolean => list.some(({ arcs }) => arcs !== null);

const TrendLine = ({
  row,
  withDevice,
  withArcs,
  onShow,
}: {
  row: TrendRow;
  withDevice: boolean;
  withArcs: boolean;
  onShow: () => void;
}) => {
  const { leakageText, jointText, arcText } = useTrendWords();
  const name = `${row.line_n} · ${row.line_name}`;
  return (
    <tr>
      <td role={rowHeader}>
        <button type="button" className="text-button" onClick={onShow}>
          {withDevice ? `${row.device_name} · ${name}` : name}
        </button>
      </td>
      <td>
        {row.leakage?.rising && <AlarmLevel level={1} compact />} {leakageText(row.leakage)}
      </td>
      <td>
        {row.joint?.rising && <AlarmLevel level={1} compact />} {jointText(row.joint)}
      </td>
      {withArcs && (
        <td>
          {row.arcs?.rising && <AlarmLevel level={1} compact />} {row.arcs ? arcText(row.arcs) : ''}
        </td>
      )}
    </tr>
  );
};
