import { expect, test } from 'vitest';
import { languageFrom } from './languages.ts';

test.each([
  ['ru;q=0.4, en-GB;q=0.9', 'en-US'],
  ['fr, de;q=0.9, ru;q=0.1', 'ru-RU'],
  ['en;q=0, ru;q=0.2', 'ru-RU'],
  ['zh-TW', 'zh-CN'],
  ['*', 'zh-CN'],
  ['en;q=high, ru', 'ru-RU'],
  [undefined, 'zh-CN'],
] as const)('a browser that asks for %s gets %s', (asked, language) => {
  expect(languageFrom(undefined, asked)).toBe(language);
});

test('the language that the reader chose takes precedence over that of the browser', () => {
  expect(languageFrom('ru-RU', 'en')).toBe('ru-RU');
  expect(languageFrom('tlh', 'en')).toBe('en-US');
});
