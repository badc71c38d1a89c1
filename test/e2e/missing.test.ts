import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Language } from '#contract/languages.ts';
import { type House, openHouse } from './house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.stop());

/** Broken escapes: a lone sign, a byte that UTF-8 never has, a character cut in half, digits that are none. */
const undecodable = [
  '/home/%',
  '/home/%ff',
  '/home/configinfos/%e0%a4',
  '/%zz',
  '/home/%ff?text=%ff',
  '/p/%ff',
];
const titles: Record<Language, string> = {
  'en-US': 'There is no such page',
  'zh-CN': '页面不存在',
  'ru-RU': 'Такой страницы нет',
};

test.each(Object.entries(titles))(
  'in %s an address that cannot be decoded shows the page that says so',
  async (language, title) => {
    const page = await house.pageOf(house.admin, { language });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    for (const address of undecodable) {
      const answer = await page.goto(`${house.url}${address}`);
      expect([address, answer?.headers()['content-type']]).toEqual([address, 'text/html; charset=utf-8']);
      await page.getByText(title, { exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
  },
);

test('without a session it shows the same page', async () => {
  const page = await house.stranger();
  for (const address of undecodable) {
    await page.goto(`${house.url}${address}`);
    await page.getByText(titles['en-US'], { exact: true }).waitFor();
  }
});

test('a panel code with a number that no device can have leads to the search', async () => {
  const page = await house.pageOf(house.admin);
  for (const [number, shown] of [
    ['9'.repeat(200), '9'.repeat(64)],
    ['%51%58%5a', 'QXZ'],
  ]) {
    await page.goto(`${house.url}/p/${number}`);
    await page.getByText(/^Nothing found for/).waitFor();
    expect(new URL(page.url()).searchParams.get('text')).toBe(shown);
  }
});
