// @vitest-environment node
import * as echarts from 'echarts';
import { expect, it } from 'vitest';
import text from './china.json?raw';

const china = JSON.parse(text) as {
  note: string;
  features: { id: number; properties: { adcode: number; name: string; latin: string; cyrillic: string } }[];
};
/** The shapes that ECharts draws of the map under this name. */
const drawn = (name: string): number => {
  echarts.registerMap(name, text);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 800, height: 600 });
  chart.setOption({ geo: { map: name } });
  const shapes = chart.renderToSVGString().match(/<path/g)?.length ?? 0;
  chart.dispose();
  return shapes;
};

it('names each of the 34 provinces in three scripts', () => {
  expect(china.features).toHaveLength(34);
  expect(new Set(china.features.map((each) => each.properties.adcode)).size).toBe(34);
  for (const each of china.features) {
    expect(each.id).toBe(each.properties.adcode);
    expect(each.properties.name).toMatch(/^\p{Script=Han}+$/u);
    expect(each.properties.latin).toMatch(/^[A-Z][A-Za-z ]+$/);
    expect(each.properties.cyrillic).toMatch(/^\p{Lu}[\p{Script=Cyrillic} ]+$/u);
  }
});

it('says that it is schematic', () => {
  expect(china.note).toContain('no authority on borders');
});

it('gets its inset of the South China Sea under the name china', () => {
  expect(drawn('china')).toBeGreaterThan(drawn('elsewhere'));
});
