import { BarChartOutlined, DownloadOutlined, PictureOutlined, TableOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import type { EChartsCoreOption } from 'echarts/core';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveBlob } from '../../api/download.ts';
import { Canvas, type CanvasHandle } from './Canvas.tsx';
import './chart.css';
import type { Look } from './look.ts';
import { NumbersView, type NumberTable, toCsv } from './NumbersView.tsx';

export interface ChartProps {
  /** Names the chart for those who hear it, and its files. */
  title: string;
  option: (look: Look) => EChartsCoreOption;
  /** The same numbers for those who read rather than look. */
  numbers: NumberTable;
  height?: number | string;
  onPick?: (picked: { name: string; data: unknown }) => void;
  heading?: ReactNode;
  extra?: ReactNode;
  empty?: boolean;
  bare?: boolean;
}

/** One chart: drawing or table of the same numbers, saved as image or CSV. */
export const Chart = ({
  title,
  option,
  numbers,
  height = 260,
  onPick,
  heading,
  extra,
  empty = false,
  bare = false,
}: ChartProps) => {
  const { t } = useTranslation('common');
  const [asTable, setAsTable] = useState(false);
  const canvas = useRef<CanvasHandle>(null);
  const tool = (label: string, icon: ReactNode, act: () => void) => (
    <Tooltip title={label}>
      <Button type="text" size="small" icon={icon} aria-label={`${label}: ${title}`} onClick={act} />
    </Tooltip>
  );
  return (
    <figure className="chart" aria-label={title}>
      <div className="chart-tools">
        {heading}
        <span className="page-header-gap" />
        {!bare && (
          <>
            {tool(
              t(($) => (asTable ? $.chart.picture : $.chart.table)),
              asTable ? <BarChartOutlined /> : <TableOutlined />,
              () => setAsTable(!asTable),
            )}
            {!asTable &&
              tool(
                t(($) => $.chart.saveImage),
                <PictureOutlined />,
                () => canvas.current?.saveImage(`${title}.png`),
              )}
            {tool(
              t(($) => $.chart.saveData),
              <DownloadOutlined />,
              () => saveBlob(new Blob([toCsv(numbers)], { type: 'text/csv' }), `${title}.csv`),
            )}
          </>
        )}
      </div>
      {extra && <div className="chart-extra">{extra}</div>}
      {empty ? (
        <div className="chart-empty" style={{ height }}>
          {t(($) => $.chart.empty)}
        </div>
      ) : asTable ? (
        <NumbersView numbers={numbers} height={height} title={title} />
      ) : (
        <Canvas ref={canvas} title={title} option={option} height={height} {...(onPick ? { onPick } : {})} />
      )}
    </figure>
  );
};
