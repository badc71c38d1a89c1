/**
 * Writes web/geo/china.json and web/geo/land.json: the outlines of the provinces and of the world's land as plain
 * GeoJSON. Sources and folder as in build-regions.ts; the land comes from world-atlas, a dependency of the product.
 *
 *   node scripts/geo/build-maps.ts sources
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { readRegions } from '#database/seed/regions.ts';
import { cutAtDateLine, type Position } from './date-line.ts';
import { cyrillicNames } from './names.ts';

interface EncodedFeature {
  properties: { name: string; cp: Position };
  geometry:
    | { type: 'Polygon'; coordinates: string[]; encodeOffsets: Position[] }
    | { type: 'MultiPolygon'; coordinates: string[][]; encodeOffsets: Position[][] };
}

const rounder =
  (digits: number) =>
  (value: number): number =>
    Math.round(value * 10 ** digits) / 10 ** digits;

/** Decodes the map format of ECharts: zigzag differences of 1/1024 degree from an offset, one UTF-16 unit each. */
const decode = (text: string, offset: Position): Position[] => {
  const round = rounder(3);
  const zigzag = (at: number): number => {
    const value = text.charCodeAt(at) - 64;
    return (value >> 1) ^ -(value & 1);
  };
  let [x, y] = offset;
  return Array.from({ length: text.length / 2 }, (_, at): Position => {
    x += zigzag(at * 2);
    y += zigzag(at * 2 + 1);
    return [round(x / 1024), round(y / 1024)];
  });
};

const geometry = ({ geometry: source }: EncodedFeature): { type: string; coordinates: unknown } =>
  source.type === 'Polygon'
    ? {
        type: source.type,
        coordinates: source.coordinates.map((ring, at) => decode(ring, source.encodeOffsets[at]!)),
      }
    : {
        type: source.type,
        coordinates: source.coordinates.map((rings, at) =>
          rings.map((ring, each) => decode(ring, source.encodeOffsets[at]![each]!)),
        ),
      };

const write = (name: string, note: string, features: object[]): void => {
  const target = new URL(`../../web/geo/${name}`, import.meta.url);
  const lines = features.map((each) => JSON.stringify(each)).join(',\n');
  writeFileSync(
    target,
    `{"type":"FeatureCollection","note":${JSON.stringify(note)},"features":[\n${lines}\n]}\n`,
  );
  console.log(`${features.length} features written to ${target.pathname}`);
};

const provinces = new Map(
  readRegions()
    .filter((region) => region.level === 1)
    .map((region) => [region.shortname, region]),
);
const map = resolve(process.argv[2] ?? 'sources', 'node_modules/echarts/map/json/china.json');
const china = JSON.parse(readFileSync(map, 'utf8')) as { features: EncodedFeature[] };
write(
  'china.json',
  'Schematic map, no authority on borders. From Apache ECharts 4.9.0, Apache-2.0; see NOTICE.',
  china.features
    .map((source) => {
      const region = provinces.get(source.properties.name);
      if (!region) throw new Error(`no region for ${source.properties.name}`);
      return {
        type: 'Feature',
        id: region.id,
        properties: {
          adcode: region.id,
          name: region.shortname,
          full_name: region.name,
          latin: region.latin,
          cyrillic: cyrillicNames[region.shortname],
          cp: source.properties.cp.map(rounder(3)),
        },
        geometry: geometry(source),
      };
    })
    .sort((a, b) => a.id - b.id),
);

const ofProduct = createRequire(import.meta.url);
interface Land {
  features: { geometry: { type: 'MultiPolygon'; coordinates: Position[][][] } }[];
}
const { feature } = ofProduct('topojson-client') as { feature(topology: object, object: object): Land };
const atlas = ofProduct('world-atlas/land-110m.json') as { objects: { land: object } };
const round = rounder(2);
write(
  'land.json',
  'Land without borders. From world-atlas 2.0.2 (Natural Earth, public domain); see NOTICE.',
  feature(atlas, atlas.objects.land).features.map(({ geometry: { type, coordinates } }) => ({
    type: 'Feature',
    properties: {},
    geometry: {
      type,
      coordinates: coordinates
        .flatMap(cutAtDateLine)
        .map((rings) => rings.map((ring) => ring.map((each) => each.map(round)))),
    },
  })),
);
