import i18next from 'i18next';
import { expect, test } from 'vitest';
import { addWords, setLanguage, startLanguage, type WordSource } from './i18n.ts';

/** Words of one namespace; each language is loaded on demand. */
const slowWords = (namespace: string) => {
  const lines = new Map<string, PromiseWithResolvers<void>>();
  const lineOf = (language: string) => {
    const line = lines.get(language) ?? Promise.withResolvers<void>();
    lines.set(language, line);
    return line;
  };
  const source: WordSource = async (language) => {
    await lineOf(language).promise;
    return { [namespace]: { word: `${namespace} ${language}` } };
  };
  return { source, come: (language: string) => lineOf(language).resolve() };
};

test('a part opened while another language is loading uses that language', async () => {
  const base = slowWords('signIn');
  const part = slowWords('tags');
  base.come('en-US');
  base.come('zh-CN');
  part.come('en-US');
  part.come('zh-CN');
  await startLanguage(base.source);
  await setLanguage('en-US');
  const changed = setLanguage('ru-RU');
  const added = addWords(part.source);
  await added;
  part.come('ru-RU');
  base.come('ru-RU');
  await changed;
  expect(i18next.getResource('ru-RU', 'tags', 'word')).toBe('tags ru-RU');
});

test.each([
  ['zh-CN', '8,627 / 12,000 #8627'],
  ['en-US', '8,627 / 12,000 #8627'],
  ['ru-RU', '8 627 / 12 000 #8627'],
] as const)(
  'quantities within a sentence are grouped as in %s, numbers that are names are not',
  async (language, expected) => {
    await addWords(async () => ({ quantities: { sentence: '{{count}} / {{total}} #{{number}}' } }));
    await setLanguage(language);
    const t = i18next.t as unknown as (key: string, values: object) => string;
    const said = t('quantities:sentence', { count: 8627, total: 12_000, number: 8627 });
    expect(said.replace(/\s/gu, ' ')).toBe(expected);
  },
);
