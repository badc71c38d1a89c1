import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { LineTableRow } from '#contract/line-table.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { LineClosest, LineFigure, LineMarks, LineName, LinePosition } from './LineTableCells.tsx';

const figures = [
  { field: 'current', unit: 'A', width: 92 },
  { field: 'share', unit: '%', width: 92 },
  { field: 'power', unit: 'W', width: 104 },
  { field: 'leakage', unit: 'mA', width: 96 },
  { field: 'temperature', unit: '°C', width: 92 },
  { field: 'voltage', unit: 'V', width: 96, hidden: true },
] as const;

/**
 * Columns of the table of lines. The array changes only with the language and the room for names, so that rows
 * are not redrawn.
 */
export const useLineColumns = (nameWidth: number): readonly DataColumn<LineTableRow>[] => {
  const { t } = useTranslation('lines');
  return useMemo(
    () => [
      {
        key: 'line',
        title: t(($) => $.ask.line),
        sort: 'device',
        width: nameWidth,
        required: true,
        render: (row) => <LineName row={row} t={t} />,
      },
      {
        key: 'position',
        title: t(($) => $.table.position),
        width: 152,
        render: (row) => <LinePosition row={row} t={t} />,
      },
      {
        key: 'marks',
        title: t(($) => $.table.marks),
        width: 136,
        render: (row) => <LineMarks row={row} t={t} />,
      },
      {
        key: 'closest',
        title: t(($) => $.table.closest),
        sort: 'closeness',
        width: 288,
        render: (row) => <LineClosest row={row} t={t} />,
      },
      ...figures.map(
        ({ field, unit, ...more }): DataColumn<LineTableRow> => ({
          key: field,
          title: t(($) => (field === 'share' ? $.table.share : $.table.figure[field])),
          sort: field,
          align: 'right',
          ...more,
          render: (row) => <LineFigure row={row} field={field} unit={unit} />,
        }),
      ),
      {
        key: 'age',
        title: t(($) => $.table.measuredAt),
        width: 120,
        hidden: true,
        render: (row) => <LastSeen at={row.values_at} />,
      },
      {
        key: 'model',
        title: t(($) => $.edit.model),
        width: 140,
        hidden: true,
        render: (row) => row.model || '—',
      },
      {
        key: 'part',
        title: t(($) => $.table.part),
        width: 140,
        hidden: true,
        render: (row) => row.part_name,
      },
    ],
    [t, nameWidth],
  );
};
