import { BarChartOutlined, DownloadOutlined, PictureOutlined, TableOutlined } from '@ant-design/icons';
import type { EChartsCoreOption } from 'echarts/core';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../../api/download.ts';
import { Canvas, type CanvasHandle, type CanvasProps } from './Canvas.tsx';
import './chart.css';
import { ChartTool } from './ChartTool.tsx';
import type { Look } from './look.ts';
import { NumbersView, type NumberTable, toCsv } from './NumbersView.tsx';
import { PrintedNumbers } from './PrintedNumbers.tsx';

export interface ChartProps {
  /** Names the chart for those who hear it, and its files. */
  title: string;
  option: (look: Look) => EChartsCoreOption;
  /** The same numbers for those who read rather than look. */
  numbers: NumberTable;
  height?: number | string;
  onPick?: CanvasProps['onPick'];
  onReady?: CanvasProps['onReady'];
  heading?: ReactNode;
  extra?: ReactNode;
  tools?: ReactNode;
  empty?: boolean;
  /** The numbers are printed below the drawing, where the page has no table of them. */
  printed?: boolean;
}

/** One chart: drawing or table of the same numbers, saved as image or CSV. */
export const Chart = ({
  title,
  option,
  numbers,
  height = 260,
  onPick,
  onReady,
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
        <Canvas
          ref={canvas}
          title={title}
          option={option}
          height={height}
          {...(onPick ? { onPick } : {})}
          {...(onReady ? { onReady } : {})}
        />
      )}
      {printed && !empty && <PrintedNumbers numbers={numbers} />}
    </figure>
  );
};
