import { expect, test } from 'vitest';
import { alarmCatalogue } from '#contract/alarm-catalogue.ts';
import type { Language } from '#contract/languages.ts';
import { guidanceIn, interlockOf } from './guidance.ts';

const codes = alarmCatalogue.map(({ code }) => code);

test.each<Language>(['zh-CN', 'en-US', 'ru-RU'])(
  'every alarm type has causes and checks in %s',
  async (language) => {
    const guidance = await guidanceIn(language);
    expect(Object.keys(guidance).map(Number).toSorted()).toEqual(codes.toSorted());
    for (const { causes, checks } of Object.values(guidance)) {
      expect(causes.length).toBeGreaterThan(0);
      expect(checks.length).toBeGreaterThan(0);
    }
  },
);

test('the languages give the same number of causes and checks', async () => {
  const [chinese, english, russian] = await Promise.all(
    (['zh-CN', 'en-US', 'ru-RU'] as const).map((language) => guidanceIn(language)),
  );
  const sizes = (of: typeof english) =>
    codes.map((code) => [code, of![code]!.causes.length, of![code]!.checks.length]);
  expect(sizes(chinese)).toEqual(sizes(english));
  expect(sizes(russian)).toEqual(sizes(english));
});

test('types that forbid closing say what ends the interlock', () => {
  expect(interlockOf(101)).toBe('none');
  expect(interlockOf(103)).toBe('untilNormal');
  expect(interlockOf(205)).toBe('untilReset');
});
