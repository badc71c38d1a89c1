import { BarChartOutlined, DownloadOutlined, PictureOutlined, TableOutlined } from '@ant-design/icons';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '#web/api/download.ts';
import './chart.css';
import { ChartTool } from './ChartTool.tsx';
import type { CanvasHandle } from './drawing.ts';
import { NumbersView, type NumberTable, toCsv } from './NumbersView.tsx';
import { PrintedNumbers } from './PrintedNumbers.tsx';

interface ChartProps {
  /** Name of the chart for screen readers, and for its files. */
  title: string;
  draw: (canvas: RefObject<CanvasHandle | null>) => ReactNode;
  /** The same numbers as a table. */
  numbers: NumberTable;
  height?: number | string;
  heading?: ReactNode;
  extra?: ReactNode;
  tools?: ReactNode;
  empty?: boolean;
  /** The numbers are printed below the drawing, if the page has no table of them. */
  printed?: boolean;
}

/** One chart: a drawing or a table of the same numbers, saved as image or CSV. */
export const Chart = ({
  title,
  draw,
  numbers,
  height = 260,
  heading,
  extra,
  tools,
  empty = false,
  printed = false,
}: ChartProps) => {
  const { t } = useTranslation('common');
  const [asTable, setAsTable] = useState(false);
  const canvas = useRef<CanvasHandle>(null);
  return (
    <figure className="chart" aria-label={title}>
      <div className="chart-tools">
        {heading}
        <span className="page-header-gap" />
        {!asTable && tools}
        <ChartTool
          label={t(($) => (asTable ? $.chart.picture : $.chart.table))}
          of={title}
          icon={asTable ? <BarChartOutlined /> : <TableOutlined />}
          onAct={() => setAsTable(!asTable)}
        />
        {!asTable && (
          <ChartTool
            label={t(($) => $.chart.saveImage)}
            of={title}
            icon={<PictureOutlined />}
            onAct={() => canvas.current?.saveImage(`${title}.png`)}
          />
        )}
        <ChartTool
          label={t(($) => $.chart.saveData)}
          of={title}
          icon={<DownloadOutlined />}
          onAct={() => saveBlob(new Blob([toCsv(numbers)], { type: 'text/csv' }), `${title}.csv`)}
        />
      </div>
      {extra && <div className="chart-extra">{extra}</div>}
      {empty ? (
        <div className="chart-empty" style={{ height }}>
          {t(($) => $.chart.empty)}
        </div>
      ) : asTable ? (
        <NumbersView numbers={numbers} height={height} title={title} />
      ) : (
        draw(canvas)
      )}
      {printed && !empty && <PrintedNumbers title={title} numbers={numbers} />}
    </figure>
  );
};
