import { describe, expect, it } from 'vitest';
import { places } from './places.ts';
import { readRegions } from './regions.ts';

const regions = readRegions();
const byId = new Map(regions.map((region) => [region.id, region]));
/** The top left to bottom right of the country, its southern islands included. */
const insideChina = ({ lat, lng }: { lat: number; lng: number }): boolean =>
  lat > 3.5 && lat < 53.6 && lng > 73.4 && lng < 135.1;

describe('regions', () => {
  it('the regions hold every province once, and no id twice', () => {
    const provinces = regions.filter((region) => region.level === 1);
    expect(provinces).toHaveLength(34);
    expect(new Set(provinces.map((region) => region.latin)).size).toBe(34);
    expect(byId.size).toBe(regions.length);
    expect(regions.length).toBeGreaterThan(3200);
  });

  it('are below a region of a higher level, whose path and name they continue', () => {
    for (const region of regions) {
      const parent = region.pid === null ? undefined : byId.get(region.pid);
      expect(region.level === 1).toBe(parent === undefined);
      expect(region.level).toBeGreaterThan(parent?.level ?? 0);
      expect(region.path).toBe(`${parent?.path ?? '/'}${region.id}/`);
      expect(region.merger_name).toBe(parent ? `${parent.merger_name},${region.name}` : region.name);
    }
  });

  it('leave out nodes that are no place', () => {
    expect(regions.filter((region) => region.name.includes('直辖') || region.name === '县')).toEqual([]);
    expect(regions.filter((region) => region.name === '市辖区' || region.name === '北京市')).toHaveLength(1);
  });

  it('lie within China', () => {
    expect(regions.filter((region) => !insideChina(region))).toEqual([]);
  });

  it('take the point of their parent, and say so, if they have none themselves', () => {
    const inherited = regions.filter((region) => {
      const parent = region.pid === null ? undefined : byId.get(region.pid);
      return parent?.lat === region.lat && parent.lng === region.lng && !region.approximate;
    });
    expect(inherited.filter((region) => byId.get(region.pid ?? 0)?.level === 2)).toEqual([]);
    expect(regions.filter((region) => region.level < 3 && region.approximate)).toHaveLength(1);
  });

  it('are spelled in plain letters, with the first of them apart', () => {
    for (const region of regions) {
      expect(region.pinyin).toMatch(/^[a-z]+$/);
      expect(region.first).toBe(region.pinyin.charAt(0).toUpperCase());
      expect(region.latin).toMatch(/^[A-ZÜ][A-Za-zÜüê' ]+$/);
    }
  });

  it.each([
    [500000, '重庆', 'chongqing', 'Chongqing'],
    [341500, '六安', 'luan', "Lu'an"],
    [341600, '亳州', 'bozhou', 'Bozhou'],
    [350200, '厦门', 'xiamen', 'Xiamen'],
    [140400, '长治', 'changzhi', 'Changzhi'],
    [610000, '陕西', 'shaanxi', 'Shaanxi'],
    [140000, '山西', 'shanxi', 'Shanxi'],
    [610100, '西安', 'xian', "Xi'an"],
    [141100, '吕梁', 'lvliang', 'Lüliang'],
    [150000, '内蒙古', 'neimenggu', 'Inner Mongolia'],
    [450000, '广西', 'guangxi', 'Guangxi'],
    [540000, '西藏', 'xizang', 'Tibet'],
    [810000, '香港', 'xianggang', 'Hong Kong'],
    [820000, '澳门', 'aomen', 'Macau'],
    [310115, '浦东', 'pudong', 'Pudong'],
    [371724, '巨野', 'juye', 'Juye'],
    [429021, '神农架', 'shennongjia', 'Shennongjia'],
    [320583, '昆山', 'kunshan', 'Kunshan'],
  ])('%i is %s, %s, %s', (id, shortname, pinyin, latin) => {
    expect(byId.get(id)).toMatchObject({ shortname, pinyin, latin });
  });
});

describe('places of the demo estate', () => {
  it('differ in kind, name and telephone number', () => {
    for (const key of ['kind', 'name', 'contact_phone'] as const)
      expect(new Set(places.map((place) => place[key])).size).toBe(12);
    expect(new Set(places.map((place) => Math.floor(place.region_id / 10_000))).size).toBeGreaterThan(9);
  });

  it('lie in a district of the tree, near its city', () => {
    for (const place of places) {
      const region = byId.get(place.region_id);
      expect(region?.level).toBe(3);
      expect(Math.hypot(region!.lat - place.lat, region!.lng - place.lng)).toBeLessThan(1);
    }
  });

  it('keep the bounds of what a person may type', () => {
    for (const place of places) {
      expect(place.contact_phone).toMatch(/^1380000\d{4}$/);
      expect(place.contact_name.length).toBeGreaterThanOrEqual(2);
      expect(place.contact_name.length).toBeLessThanOrEqual(4);
      expect(new Set(place.parts).size).toBe(place.parts.length);
      expect(place.parts.length).toBeGreaterThan(1);
    }
  });
});
