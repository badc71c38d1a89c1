// @vitest-environment node
import { expect, it, vi } from 'vitest';
import { chinaOutlines } from '#web/parts/map/china-outlines.ts';
import text from './china.json?raw';

const china = JSON.parse(text) as {
  note: string;
  features: { id: number; properties: { adcode: number; name: string; latin: string; cyrillic: string } }[];
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

it('the offline map is labelled as schematic', () => {
  expect(china.note).toContain('no authority on borders');
});

it('the offline map is drawn with the inset of the South China Sea', async () => {
  vi.stubGlobal('fetch', async () => new Response(text));
  const outlines = await chinaOutlines();
  vi.unstubAllGlobals();
  expect(outlines).toHaveLength(35);
  const inset = outlines.at(-1)!;
  expect(inset.names['zh-CN']).toBe('南海诸岛');
  // Ten dashes, the coast and the frame.
  expect(inset.rings).toHaveLength(12);
  for (const [lng, lat] of inset.rings.flat()) {
    expect(lng).toBeGreaterThanOrEqual(126);
    expect(lng).toBeLessThan(132.2);
    expect(lat).toBeLessThanOrEqual(25);
    expect(lat).toBeGreaterThan(18);
  }
});
