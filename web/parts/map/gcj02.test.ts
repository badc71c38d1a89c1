import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromGcj02, type Point, toGcj02 } from './gcj02.ts';
import { isInMainland } from './mainland.ts';

/** Source: the examples of the packages coordtransform and gcoord, with their results. */
test.each([
  [
    { lng: 116.404, lat: 39.915 },
    { lng: 116.41024449916938, lat: 39.91640428150164 },
  ],
  [
    { lng: 116.403988, lat: 39.914266 },
    { lng: 116.41023249, lat: 39.91567029 },
  ],
])('%j of WGS-84 is where other implementations put it', (wgs, gcj) => {
  const found = toGcj02(wgs);
  expect(found.lng).toBeCloseTo(gcj.lng, 6);
  expect(found.lat).toBeCloseTo(gcj.lat, 6);
});

const anywhere = fc.record({
  lng: fc.double({ min: 71, max: 137, noNaN: true }),
  lat: fc.double({ min: 3, max: 56, noNaN: true }),
});
/** A centimetre, in degrees. */
const centimetre = 1e-7;
const expectSame = (one: Point, other: Point) => {
  expect(Math.abs(one.lat - other.lat)).toBeLessThan(centimetre);
  expect(Math.abs(one.lng - other.lng)).toBeLessThan(centimetre);
};

test('in mainland China the conversion to GCJ-02 and back is exact to a centimetre, and shifts by some hundred metres', () => {
  fc.assert(
    fc.property(anywhere, (point) => {
      fc.pre(isInMainland(point));
      const shifted = toGcj02(point);
      expectSame(fromGcj02(shifted), point);
      const metres = Math.hypot(
        (shifted.lat - point.lat) * 111_000,
        (shifted.lng - point.lng) * 111_000 * Math.cos((point.lat * Math.PI) / 180),
      );
      expect(metres).toBeGreaterThan(10);
      expect(metres).toBeLessThan(1500);
    }),
    { numRuns: 300 },
  );
});

/** Within about a kilometre of the border, where the shift leaves a gap without any place. */
const isAtTheBorder = ({ lng, lat }: Point): boolean => {
  const around = [-0.01, 0, 0.01].flatMap((east) =>
    [-0.01, 0, 0.01].map((north) => isInMainland({ lng: lng + east, lat: lat + north })),
  );
  return new Set(around).size > 1;
};

test('a clicked point of the map is shown where it was clicked, on both sides of the border', () => {
  fc.assert(
    fc.property(anywhere, (clicked) => {
      fc.pre(!isAtTheBorder(clicked));
      expectSame(toGcj02(fromGcj02(clicked)), clicked);
    }),
    { numRuns: 1000 },
  );
});

/** Centres of towns, WGS-84, from OpenStreetMap; rounded to a hundredth of a degree. */
const shifted: Record<string, [lng: number, lat: number]> = {
  Beijing: [116.4, 39.9],
  Shanghai: [121.47, 31.23],
  Shenzhen: [114.06, 22.55],
  Luohu: [114.12, 22.55],
  Zhuhai: [113.57, 22.27],
  Hengqin: [113.52, 22.13],
  Haikou: [110.34, 20.03],
  Sanya: [109.51, 18.25],
  Weizhou: [109.12, 21.04],
  Xiamen: [118.08, 24.48],
  Pingtan: [119.79, 25.5],
  Zhoushan: [122.2, 29.99],
  Chongming: [121.4, 31.62],
  Dalian: [121.61, 38.91],
  Dandong: [124.38, 40.13],
  Hunchun: [130.36, 42.86],
  Suifenhe: [131.15, 44.4],
  Harbin: [126.64, 45.76],
  Heihe: [127.49, 50.245],
  Mohe: [122.54, 52.97],
  Manzhouli: [117.43, 49.58],
  Erenhot: [111.98, 43.65],
  Altay: [88.14, 47.84],
  Tacheng: [82.98, 46.75],
  Yining: [81.32, 43.92],
  Urumqi: [87.62, 43.83],
  Kashgar: [75.99, 39.47],
  Lhasa: [91.11, 29.65],
  Yadong: [88.91, 27.48],
  Ruili: [97.85, 24.01],
  Jinghong: [100.8, 22],
  Pingxiang: [106.75, 22.1],
};
const unshifted: Record<string, [lng: number, lat: number]> = {
  'Hong Kong': [114.17, 22.3],
  'Tung Chung': [113.94, 22.29],
  'Sheung Shui': [114.13, 22.5],
  Macau: [113.545, 22.195],
  Taipa: [113.56, 22.155],
  Taipei: [121.56, 25.04],
  Kaohsiung: [120.31, 22.62],
  Magong: [119.57, 23.57],
  Kinmen: [118.32, 24.43],
  Seoul: [126.98, 37.57],
  Pyongyang: [125.75, 39.03],
  Sinuiju: [124.4, 40.09],
  Vladivostok: [131.89, 43.12],
  Pogranichny: [131.38, 44.41],
  Khabarovsk: [135.07, 48.48],
  Blagoveshchensk: [127.53, 50.29],
  Chita: [113.5, 52.03],
  Irkutsk: [104.28, 52.29],
  Novosibirsk: [82.92, 55.03],
  Ulaanbaatar: [106.92, 47.92],
  'Zamyn-Uud': [111.91, 43.72],
  Zharkent: [80, 44.16],
  Almaty: [76.89, 43.24],
  Bishkek: [74.59, 42.87],
  Osh: [72.8, 40.53],
  Kathmandu: [85.32, 27.71],
  Thimphu: [89.64, 27.47],
  Hanoi: [105.85, 21.03],
  'Lao Cai': [103.97, 22.49],
  Vientiane: [102.63, 17.97],
  Fukuoka: [130.4, 33.59],
  London: [-0.1, 51.5],
  Sydney: [151.2, -33.9],
};
test.each(Object.entries(shifted))('%s is shifted', (_, [lng, lat]) => {
  expect(toGcj02({ lng, lat })).not.toEqual({ lng, lat });
});
test.each(Object.entries(unshifted))('%s is not shifted, in either direction', (_, [lng, lat]) => {
  expect(toGcj02({ lng, lat })).toEqual({ lng, lat });
  expect(fromGcj02({ lng, lat })).toEqual({ lng, lat });
});
