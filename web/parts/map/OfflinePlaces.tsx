import type { EChartsCoreOption } from 'echarts/core';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { Canvas } from '../chart/Canvas.tsx';
import type { Engine } from '../chart/engine.ts';
import type { Look } from '../chart/look.ts';
import { geoOf, prepareChina } from './china-map.ts';
import { type Cluster, clusterPlaces, namesOf, type Place } from './cluster.ts';
import type { PlacesProps } from './places-props.ts';

const start = { zoom: 1.2, center: [104, 36] };
/** Degrees that the map shows from west to east at zoom 1, with room around. */
const wholeDegrees = 40;
const closest = 8;
/** The view that all places fit in. */
const closeTo = (places: readonly Place[]): typeof start => {
  if (places.length === 0) return start;
  const extent = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;
  const [west, east] = extent(places.map(({ lng }) => lng));
  const [south, north] = extent(places.map(({ lat }) => lat));
  const span = Math.max(east - west, north - south, wholeDegrees / closest);
  return {
    zoom: Math.max(start.zoom, wholeDegrees / span),
    center: [(west + east) / 2, (south + north) / 2],
  };
};
/** Marks closer than this at zoom 1 are gathered. */
const cellDegrees = 3;
const symbols = ['circle', 'triangle', 'path://M5 1H11L15 5V11L11 15H5L1 11V5Z'];
/** In sizes of the text beside it. A triangle has room for a number only when it is larger, and lower down. */
const sizeOf = ({ places, worst }: Cluster) =>
  places.length > 1 ? (worst === 1 ? 3 : 2.2) : worst > 0 ? 1.35 : 0.92;

/** Places on the map of China, coloured and shaped by their worst state, gathered where they would overlap. */
export const OfflinePlaces = ({ title, places, height, onPick, closer = false }: PlacesProps) => {
  const { i18n } = useTranslation();
  const [view, setView] = useState(closer ? closeTo(places) : start);
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
  const language = i18n.language as Language;
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
        geo: { ...geoOf(look, language), ...view },
        series: [
          {
            type: 'scatter',
            coordinateSystem: 'geo',
            data: clusters.map((cluster) => ({
              name: namesOf(cluster),
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
                offset: cluster.worst === 1 ? [0, fontSize / 2] : [0, 0],
                formatter: String(cluster.places.length),
                color: palette.surface,
                fontWeight: 600,
                fontSize,
              },
            })),
            // A click on the ground does nothing, and marks on it would be as silent.
            tooltip: { show: true, formatter: '{b}', extraCssText: 'white-space: pre-line' },
            animation: false,
          },
        ],
      };
    },
    [clusters, view, language],
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
