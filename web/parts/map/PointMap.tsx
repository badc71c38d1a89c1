import type { EChartsCoreOption } from 'echarts/core';
import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { Canvas } from '../chart/Canvas.tsx';
import type { Engine } from '../chart/engine.ts';
import type { Look } from '../chart/look.ts';
import { geoOf, prepareChina } from './china-map.ts';

export interface Point {
  lat: number;
  lng: number;
}
const closeBy = 5;

/** One place on the map; a click chooses another. */
export const PointMap = ({
  title,
  name,
  point,
  height,
  onPick,
}: {
  title: string;
  name: string;
  point: Point | null;
  height: number;
  /** Null where it cannot be moved. */
  onPick: ((point: Point) => void) | null;
}) => {
  const { i18n } = useTranslation();
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  // Where the map was when it came: choosing a point must not move it under the pointer.
  const start = useRef(point);
  const ready = useCallback((engine: Engine) => {
    engine.getZr().on('click', ({ offsetX, offsetY }) => {
      const at: unknown = engine.convertFromPixel('geo', [offsetX, offsetY]);
      if (!Array.isArray(at)) return;
      const [lng, lat] = at as number[];
      if (lng === undefined || lat === undefined || Number.isNaN(lng) || Number.isNaN(lat)) return;
      pick.current?.({ lat: Math.round(lat * 1e5) / 1e5, lng: Math.round(lng * 1e5) / 1e5 });
    });
  }, []);
  const language = i18n.language as Language;
  const option = useCallback(
    (look: Look): EChartsCoreOption => ({
      textStyle: { fontFamily: look.fontFamily },
      aria: { enabled: true },
      geo: {
        ...geoOf(look, language),
        ...(start.current
          ? { zoom: closeBy, center: [start.current.lng, start.current.lat] }
          : { zoom: 1.2, center: [104, 36] }),
      },
      series: [
        {
          type: 'scatter',
          coordinateSystem: 'geo',
          animation: false,
          symbol: 'pin',
          symbolSize: 38,
          silent: true,
          itemStyle: {
            opacity: 1,
            color: look.palette.alarm,
            borderColor: look.palette.surface,
            borderWidth: 1,
          },
          data: point ? [{ name, value: [point.lng, point.lat] }] : [],
        },
      ],
    }),
    [point, name, language],
  );
  return <Canvas title={title} option={option} height={height} prepare={prepareChina} onReady={ready} />;
};
