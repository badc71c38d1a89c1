import type { Language } from '#contract/languages.ts';
import chinaAddress from '#web/geo/china.json?url';

type Ring = readonly (readonly [lng: number, lat: number])[];
interface Province {
  properties: { name: string; latin: string; cyrillic: string };
  geometry:
    | { type: 'Polygon'; coordinates: readonly Ring[] }
    | { type: 'MultiPolygon'; coordinates: readonly (readonly Ring[])[] };
}
export interface Outline {
  names: Record<Language, string>;
  rings: readonly Ring[];
}

/**
 * The inset of the South China Sea, in its own units from its upper left corner at 126° E, 25° N. From Apache
 * ECharts 6 (`coord/geo/fix/nanhai`), Apache-2.0; see NOTICE.
 */
const inset: readonly (readonly (readonly [number, number])[])[] = [
  // biome-ignore format: a table of numbers
  [[0, 3.5], [7, 11.2], [15, 11.9], [30, 7], [42, 0.7], [52, 0.7], [56, 7.7], [59, 0.7], [64, 0.7], [64, 0], [5, 0], [0, 3.5]],
  // biome-ignore format: a table of numbers
  [[13, 16.1], [19, 14.7], [16, 21.7], [11, 23.1], [13, 16.1]],
  // biome-ignore format: a table of numbers
  [[12, 32.2], [14, 38.5], [15, 38.5], [13, 32.2], [12, 32.2]],
  // biome-ignore format: a table of numbers
  [[16, 47.6], [12, 53.2], [13, 53.2], [18, 47.6], [16, 47.6]],
  // biome-ignore format: a table of numbers
  [[6, 64.4], [8, 70], [9, 70], [8, 64.4], [6, 64.4]],
  // biome-ignore format: a table of numbers
  [[23, 82.6], [29, 79.8], [30, 79.8], [25, 82.6], [23, 82.6]],
  // biome-ignore format: a table of numbers
  [[37, 70.7], [43, 62.3], [44, 62.3], [39, 70.7], [37, 70.7]],
  // biome-ignore format: a table of numbers
  [[48, 51.1], [51, 45.5], [53, 45.5], [50, 51.1], [48, 51.1]],
  // biome-ignore format: a table of numbers
  [[51, 35], [51, 28.7], [53, 28.7], [53, 35], [51, 35]],
  // biome-ignore format: a table of numbers
  [[52, 22.4], [55, 17.5], [56, 17.5], [53, 22.4], [52, 22.4]],
  // biome-ignore format: a table of numbers
  [[58, 12.6], [62, 7], [63, 7], [60, 12.6], [58, 12.6]],
  // biome-ignore format: a table of numbers
  [[0, 3.5], [0, 93.1], [64, 93.1], [64, 0], [63, 0], [63, 92.4], [1, 92.4], [1, 3.5], [0, 3.5]],
];
const insetOutline: Outline = {
  names: { 'zh-CN': '南海诸岛', 'en-US': 'South China Sea Islands', 'ru-RU': 'Острова Южно-Китайского моря' },
  rings: inset.map((ring) => ring.map(([x, y]) => [126 + x / 10.5, 25 - (y * 0.75) / 10.5] as const)),
};

let loading: Promise<readonly Outline[]> | null = null;
/** The provinces and the inset of the South China Sea: a schematic map. */
export const chinaOutlines = (): Promise<readonly Outline[]> => {
  loading ??= fetch(chinaAddress)
    .then((response) => response.json() as Promise<{ features: readonly Province[] }>)
    .then(({ features }) => [
      ...features.map(({ properties: { name, latin, cyrillic }, geometry }) => ({
        names: { 'zh-CN': name, 'en-US': latin, 'ru-RU': cyrillic },
        rings: geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat(),
      })),
      insetOutline,
    ])
    .catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return loading;
};
