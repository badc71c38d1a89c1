import { expect, test } from 'vitest';
import { demo as englishDemo } from '../features/demo/words/en-US.ts';
import { demo as russianDemo } from '../features/demo/words/ru-RU.ts';
import { demo as chineseDemo } from '../features/demo/words/zh-CN.ts';
import { deviceJobs as englishJobs } from '../features/device-jobs/words/en-US.ts';
import { deviceJobs as russianJobs } from '../features/device-jobs/words/ru-RU.ts';
import { deviceJobs as chineseJobs } from '../features/device-jobs/words/zh-CN.ts';
import { words as englishWords } from './words/en-US.ts';
import { words as russianWords } from './words/ru-RU.ts';
import { words as chineseWords } from './words/zh-CN.ts';

const english = { ...englishWords, demo: englishDemo, deviceJobs: englishJobs };
const russian = { ...russianWords, demo: russianDemo, deviceJobs: russianJobs };
const chinese = { ...chineseWords, demo: chineseDemo, deviceJobs: chineseJobs };
const plural = /_(zero|one|two|few|many|other)$/;
const keysOf = (words: object, path = ''): string[] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [path + key] : keysOf(value as object, `${path}${key}.`),
  );
const namesOf = (words: object) => [...new Set(keysOf(words).map((key) => key.replace(plural, '')))].sort();
const textOf = (words: object, key: string) =>
  key.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], words) as string;
const languages = { 'en-US': english, 'zh-CN': chinese, 'ru-RU': russian };

test('the three languages have the same words', () => {
  expect(namesOf(chinese)).toEqual(namesOf(english));
  expect(namesOf(russian)).toEqual(namesOf(english));
});

test.each(Object.entries(languages))('%s has every plural form its grammar asks for', (language, words) => {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const counted = new Set(
    keysOf(words)
      .filter((key) => plural.test(key))
      .map((key) => key.replace(plural, '')),
  );
  for (const name of counted) {
    const present = keysOf(words)
      .filter((key) => key.replace(plural, '') === name)
      .map((key) => key.slice(name.length + 1));
    expect({ name, forms: present.sort() }).toEqual({ name, forms: [...forms].sort() });
  }
});

test('the parameters of a sentence are the same in every language', () => {
  const parametersOf = (words: object) => {
    const found = new Map<string, Set<string>>();
    for (const key of keysOf(words)) {
      const name = key.replace(plural, '');
      const set = found.get(name) ?? new Set();
      for (const [, parameter] of textOf(words, key).matchAll(/\{\{(\w+)\}\}/g))
        if (parameter !== 'count') set.add(parameter!);
      found.set(name, set);
    }
    return Object.fromEntries([...found].map(([name, set]) => [name, [...set].sort()]));
  };
  expect(parametersOf(chinese)).toEqual(parametersOf(english));
  expect(parametersOf(russian)).toEqual(parametersOf(english));
});

test('no language leaves a text empty or in another alphabet', () => {
  for (const key of keysOf(russian)) expect(textOf(russian, key)).not.toBe('');
  for (const key of keysOf(english)) expect(textOf(english, key)).not.toMatch(/[\u4e00-\u9fff\u0400-\u04ff]/);
  for (const key of keysOf(chinese)) expect(textOf(chinese, key)).not.toMatch(/[\u0400-\u04ff]/);
  for (const key of keysOf(russian)) expect(textOf(russian, key)).not.toMatch(/[\u4e00-\u9fff]/);
});
