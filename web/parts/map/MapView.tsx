import type { EChartsCoreOption } from 'echarts/core';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Canvas } from '../chart/Canvas.tsx';
import type { Engine } from '../chart/engine.ts';
import type { Look } from '../chart/look.ts';
import { geoOf, prepareChina } from './china-map.ts';
import { type Cluster, clusterPlaces, type Place } from './cluster.ts';

const start = { zoom: 1.2, center: [104, 36] };
/** Marks closer than this at zoom 1 are gathered. */
const cellDegrees = 3;
const symbols = ['circle', 'triangle', 'path://M5 1H11L15 5V11L11 15H5L1 11V5Z'];
/** In sizes of the text beside it. */
const sizeOf = ({ places, worst }: Cluster) => (places.length > 1 ? 2.2 : worst > 0 ? 1.35 : 0.92);

/** Places on the map of China, coloured and shaped by their worst state, gathered where they would overlap. */
export const MapView = ({
  title,
  places,
  height,
  onPick,
}: {
  title: string;
  places: readonly Place[];
  height: number | string;
  onPick: (ids: readonly number[]) => void;
}) => {
  const { i18n } = useTranslation();
  const [view, setView] = useState(start);
  const clusters = useMemo(
    () => clusterPlaces(places, cellDegrees / Math.max(1, view.zoom)),
    [places, view.zoom],
  );
  const ready = useCallback((engine: Engine) => {
    engine.on('georoam', () => {
      const [geo] = (engine.getOption() as { geo: { zoom: number; center: number[] }[] }).geo;
      if (geo) setView({ zoom: geo.zoom, center: geo.center });
    });
  }, []);
  const isChinese = i18n.language === 'zh-CN';
  const option = useCallback(
    (look: Look): EChartsCoreOption => {
      const { palette, fontSize } = look;
      const colours = [palette.primary, palette.early, palette.alarm];
      const quiet = palette.page === '#10151c' ? '#7fb2ff' : palette.primary;
      return {
        textStyle: { fontFamily: look.fontFamily },
        aria: { enabled: true },
        tooltip: {
          confine: true,
          backgroundColor: palette.raised,
          borderColor: palette.border,
          textStyle: { color: palette.text, fontSize },
        },
        geo: { ...geoOf(look, isChinese), ...view },
        series: [
          {
            type: 'scatter',
            coordinateSystem: 'geo',
            data: clusters.map((cluster) => ({
              name: cluster.places
                .map(({ name }) => name)
                .slice(0, 8)
                .join('<br>'),
              value: [cluster.lng, cluster.lat],
              ids: cluster.places.map(({ id }) => id),
              symbol: symbols[cluster.worst] ?? symbols[0],
              symbolSize: sizeOf(cluster) * fontSize,
              itemStyle: {
                opacity: 1,
                color: cluster.worst === 0 ? quiet : colours[cluster.worst],
                borderColor: palette.surface,
                borderWidth: 1.5,
              },
              label: {
                show: cluster.places.length > 1,
                formatter: String(cluster.places.length),
                color: palette.surface,
                fontWeight: 600,
                fontSize,
              },
            })),
            tooltip: { formatter: '{b}' },
            animation: false,
          },
        ],
      };
    },
    [clusters, view, isChinese],
  );
  return (
    <Canvas
      title={title}
      option={option}
      height={height}
      prepare={prepareChina}
      onReady={ready}
      onPick={({ data }) => {
        const ids = (data as { ids?: number[] } | null)?.ids;
        if (ids) onPick(ids);
      }}
    />
  );
};
