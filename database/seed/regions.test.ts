import { describe, expect, it } from 'vitest';
import { readRegions } from './regions.ts';

const regions = readRegions();
const byId = new Map(regions.map((region) => [region.id, region]));
/** From the north-west to the south-east of the country, including its southern islands. */
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

  it('regions are below a region of a higher level and continue its path and name', () => {
    for (const region of regions) {
      const parent = region.pid === null ? undefined : byId.get(region.pid);
      expect(region.level === 1).toBe(parent === undefined);
      expect(region.level).toBeGreaterThan(parent?.level ?? 0);
      expect(region.path).toBe(`${parent?.path ?? '/'}${region.id}/`);
      expect(region.merger_name).toBe(parent ? `${parent.merger_name},${region.name}` : region.name);
    }
  });

  it('the regions leave out entries that are not places', () => {
    expect(regions.filter((region) => region.name.includes('直辖') || region.name === '县')).toEqual([]);
    expect(regions.filter((region) => region.name === '市辖区' || region.name === '北京市')).toHaveLength(1);
  });

  it('regions lie within China', () => {
    expect(regions.filter((region) => !insideChina(region))).toEqual([]);
  });

  it('regions without a point use that of their parent, and are marked as approximate', () => {
    const inherited = regions.filter((region) => {
      const parent = region.pid === null ? undefined : byId.get(region.pid);
      return parent?.lat === region.lat && parent.lng === region.lng && !region.approximate;
    });
    expect(inherited.filter((region) => byId.get(region.pid ?? 0)?.level === 2)).toEqual([]);
    expect(regions.filter((region) => region.level < 3 && region.approximate)).toHaveLength(1);
  });

  it('regions have names in Latin letters, and their initials', () => {
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
  ])('region %i is %s, %s, %s', (id, shortname, pinyin, latin) => {
    expect(byId.get(id)).toMatchObject({ shortname, pinyin, latin });
  });
});
