import {
  LeftOutlined,
  RightOutlined,
  UndoOutlined,
  ZoomInOutlined,
  ZoomOutOutlined,
} from '@ant-design/icons';
import type { EChartsCoreOption } from 'echarts/core';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { Canvas } from './Canvas.tsx';
import { Chart } from './Chart.tsx';
import { ChartTool } from './ChartTool.tsx';
import type { Engine } from './engine.ts';
import { listenForRanges, moved, scaled, within } from './gestures.ts';
import type { Look } from './look.ts';
import type { TimeModel } from './model.ts';
import { hasNumbers, timeNumbers } from './numbers.ts';
import type { Range } from './sample.ts';
import { timeOption, timeSeriesOf } from './time-option.ts';
import type { ChartRange } from './use-chart-range.ts';

const assumedWidth = 1200;
const half = 0.5;
/** While the range moves, points are reduced for every two pixels instead of one, so each frame draws less. */
const moving = 2;
/** After this time without a movement the drawing gets all its points. */
const restMs = 300;

/** Quantities over time: the whole requested range, gaps as gaps, one crosshair for all panels. */
export const TimeChart = ({
  title,
  model,
  chartRange,
  height = 320,
  heading,
  extra,
}: {
  title: string;
  model: TimeModel;
  chartRange: ChartRange;
  height?: number | string;
  heading?: ReactNode;
  extra?: ReactNode;
}) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  const { range, bounds, zoomed, onRange } = chartRange;
  const words = useMemo(
    () => ({
      time: t(($) => $.chart.time),
      least: t(($) => $.chart.least),
      most: t(($) => $.chart.most),
      estimated: t(($) => $.chart.estimated),
      none: t(($) => $.chart.none),
    }),
    [t],
  );
  const latest = useRef({ model, range, bounds, onRange, formats, words });
  const shown = useRef(range);
  useEffect(() => {
    latest.current = { model, range, bounds, onRange, formats, words };
    shown.current = range;
  });
  const lookRef = useRef<Look | null>(null);
  const engineRef = useRef<Engine | null>(null);

  const option = useCallback(
    (look: Look): EChartsCoreOption => {
      lookRef.current = look;
      const columns = engineRef.current?.getWidth() ?? assumedWidth;
      return timeOption(model, { look, formats, words, range, columns });
    },
    [model, formats, words, range],
  );
  const ready = useCallback((engine: Engine) => {
    engineRef.current = engine;
    let frame: number | null = null;
    let resting: ReturnType<typeof setTimeout> | null = null;
    const draw = (coarseness: number) => {
      frame = null;
      const { model: drawn, ...rest } = latest.current;
      const look = lookRef.current;
      if (!look || engine.isDisposed()) return;
      const drawing = { ...rest, look, range: shown.current, columns: engine.getWidth(), coarseness };
      // The tooltip would be laid out again in each frame. It returns with the next movement of the pointer.
      if (coarseness > 1) engine.dispatchAction({ type: 'hideTip' });
      engine.setOption(
        {
          xAxis: drawn.panels.map(() => ({ min: shown.current.from, max: shown.current.to })),
          series: timeSeriesOf(drawn, drawing),
        },
        { lazyUpdate: false, silent: true },
      );
    };
    const letGo = listenForRanges(engine.getDom(), engine, {
      range: () => shown.current,
      bounds: () => latest.current.bounds,
      show: (next) => {
        shown.current = next;
        frame ??= requestAnimationFrame(() => draw(moving));
        if (resting) clearTimeout(resting);
        resting = setTimeout(() => draw(1), restMs);
      },
      choose: (next) => latest.current.onRange(next),
    });
    return () => {
      letGo();
      if (frame !== null) cancelAnimationFrame(frame);
      if (resting) clearTimeout(resting);
    };
  }, []);
  const numbers = useMemo(() => timeNumbers(model, range, words), [model, range, words]);
  const empty = useMemo(() => !hasNumbers(model, range), [model, range]);
  const go = (next: Range) => onRange(within(next, bounds));
  return (
    <Chart
      title={title}
      draw={(canvas) => <Canvas ref={canvas} title={title} option={option} height={height} onReady={ready} />}
      numbers={numbers}
      height={height}
      heading={heading}
      extra={extra}
      empty={empty}
      tools={
        <>
          {zoomed && (
            <>
              <ChartTool
                label={t(($) => $.chart.whole)}
                of={title}
                icon={<UndoOutlined />}
                onAct={() => onRange(null)}
              />
              <ChartTool
                label={t(($) => $.chart.earlier)}
                of={title}
                icon={<LeftOutlined />}
                onAct={() => go(moved(range, -half))}
              />
              <ChartTool
                label={t(($) => $.chart.later)}
                of={title}
                icon={<RightOutlined />}
                onAct={() => go(moved(range, half))}
              />
              <ChartTool
                label={t(($) => $.chart.zoomOut)}
                of={title}
                icon={<ZoomOutOutlined />}
                onAct={() => go(scaled(range, 2))}
              />
            </>
          )}
          <ChartTool
            label={t(($) => $.chart.zoomIn)}
            of={title}
            icon={<ZoomInOutlined />}
            onAct={() => go(scaled(range, half))}
          />
        </>
      }
    />
  );
};
