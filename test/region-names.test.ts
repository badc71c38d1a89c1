import { expect, test } from 'vitest';
import { palladius } from '#contract/palladius.ts';
import { regionName, regionPathText } from '#contract/region-names.ts';
import { readRegions } from '#database/seed/regions.ts';

const regions = readRegions();
const named = (id: number) => regions.find((region) => region.id === id)!;

test.each([
  ['Shenzhen', 'Шэньчжэнь'],
  ["Xi'an", 'Сиань'],
  ['Jinan', 'Цзинань'],
  ["Chang'an", 'Чанъань'],
  ['Hangzhou', 'Ханчжоу'],
  ['Zhengzhou', 'Чжэнчжоу'],
  ['Guiyang', 'Гуйян'],
  ['Anhui', 'Аньхуэй'],
  ['Xishuangbanna', 'Сишуанбаньна'],
  ['Lüliang', 'Люйлян'],
  ['Quzhou', 'Цюйчжоу'],
  ['Sichuan', 'Сычуань'],
  ["Yan'an", 'Яньань'],
  ["Pu'er", 'Пуэр'],
  ['Wulate Zhongqi', 'Улатэ Чжунци'],
  ["Helinge'er", 'Хэлиньгээр'],
  ['Chenghai', 'Чэнхай'],
  ['Nanguan', 'Наньгуань'],
])('%s is %s in Russian', (pinyin, russian) => {
  expect(palladius(pinyin)).toBe(russian);
});

test('a text that is not pinyin has no transcription', () => {
  expect(palladius('Kashgar')).toBeNull();
  expect(palladius('Ürümqi')).toBeNull();
});

test('every region has a name in the alphabet of its reader', () => {
  for (const region of regions) {
    expect(regionName(region, 'ru-RU')).toMatch(/^[А-ЯЁ][а-яёА-ЯЁ -]+$/);
    expect(regionName(region, 'en-US')).toMatch(/^[A-ZÜ]/);
    expect(regionName(region, 'zh-CN')).toBe(region.name);
  }
});

test('the path of a region begins with the province', () => {
  const path = [440000, 440300, 440305].map(named);
  expect(regionPathText(path, 'zh-CN')).toBe('广东省深圳市南山区');
  expect(regionPathText(path, 'en-US')).toBe('Guangdong, Shenzhen, Nanshan');
  expect(regionPathText(path, 'ru-RU')).toBe('Гуандун, Шэньчжэнь, Наньшань');
});
