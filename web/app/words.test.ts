import { expect, test } from 'vitest';
import { alarmNames } from '#contract/alarm-names.ts';
import { words as englishWords } from './words/en-US.ts';
import { words as russianWords } from './words/ru-RU.ts';
import { words as chineseWords } from './words/zh-CN.ts';

type Words = Record<string, object>;
const features = (files: Record<string, Words>): Words => Object.assign({}, ...Object.values(files));
const english: Words = {
  ...features(import.meta.glob<Words>('../features/*/words/en-US.ts', { eager: true })),
  ...englishWords,
};
const russian: Words = {
  ...features(import.meta.glob<Words>('../features/*/words/ru-RU.ts', { eager: true })),
  ...russianWords,
};
const chinese: Words = {
  ...features(import.meta.glob<Words>('../features/*/words/zh-CN.ts', { eager: true })),
  ...chineseWords,
};
const plural = /_(zero|one|two|few|many|other)$/;
const keysOf = (words: object, path = ''): string[] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [path + key] : keysOf(value as object, `${path}${key}.`),
  );
const namesOf = (words: object) => [...new Set(keysOf(words).map((key) => key.replace(plural, '')))].sort();
const textOf = (words: object, key: string) =>
  key.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], words) as string;
const languages = { 'en-US': english, 'zh-CN': chinese, 'ru-RU': russian };

test('a label on the screen ends with the colon of its language', () => {
  const sources = import.meta.glob<string>('../**/*.tsx', { eager: true, query: '?raw', import: 'default' });
  expect(Object.keys(sources).length).toBeGreaterThan(100);
  const written = Object.entries(sources).flatMap(([file, source]) =>
    source
      .split('\n')
      .filter((line) => /\bt\(.*\)\}:( |<|$)/.test(line) && !line.includes('aria-label'))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});

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

test.each([
  [
    'en-US',
    english,
    /\{\{(?!most)\w+\}\}\s(lines|devices|alarms|projects|rows|entries|windows|floods|users|timers)\b/,
  ],
  [
    'ru-RU',
    russian,
    /\{\{(?!most)\w+\}\}\s(лини|устройств|сигнал|объект|строк|запис|окон|пользовател|таймер)/,
  ],
] as const)('%s has no noun after a number without its plural forms', (_language, words, counted) => {
  const flawed = keysOf(words).filter((key) => !plural.test(key) && counted.test(textOf(words, key)));
  expect(flawed).toEqual([]);
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

test('no language has an empty text or one in another alphabet', () => {
  for (const key of keysOf(russian)) expect(textOf(russian, key)).not.toBe('');
  for (const key of keysOf(english)) expect(textOf(english, key)).not.toMatch(/[\u4e00-\u9fff\u0400-\u04ff]/);
  for (const key of keysOf(chinese)) expect(textOf(chinese, key)).not.toMatch(/[\u0400-\u04ff]/);
  for (const key of keysOf(russian)) expect(textOf(russian, key)).not.toMatch(/[\u4e00-\u9fff]/);
});

const entriesOf = (words: object): [key: string, text: string][] =>
  keysOf(words).map((key) => [key, textOf(words, key)]);

/** Terms that docs/WORDS.md forbids on screens, because the field has another one. */
const houseWords =
  /\b(told|tells|wish(es|ed)?|whoever|hangs?|hung|stands?|standing|trial|urged?|put aside|what became of)\b/i;
test('English texts use the terms of the field', () => {
  expect(entriesOf(english).filter(([, text]) => houseWords.test(text))).toEqual([]);
});

/** Texts about contacts and about the commands that move them. */
const aboutContacts = /^(lines|oneKey|tags|timers|common\.(position|command)|access\.act|search\.switch)\./;
test('texts use the words open and close for contacts only', () => {
  const verb = /^(Open|Close|Opens|Closes|Opened|Closed)\b/;
  expect(entriesOf(english).filter(([key, text]) => verb.test(text) && !aboutContacts.test(key))).toEqual([]);
});

test('Chinese texts use full-width punctuation', () => {
  const halfWidth = /[\p{Script=Han}][,:;!?(]|\)[\p{Script=Han}]/u;
  /** An example row keeps the commas of its format. */
  const example = 'devices.import.example';
  const named = Object.entries(alarmNames['zh-CN']);
  expect(
    [...entriesOf(chinese), ...named].filter(([key, text]) => key !== example && halfWidth.test(text)),
  ).toEqual([]);
});

test('screens write units by useUnit, never in one language', () => {
  const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx', '!../**/*.test.*'], {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  expect(Object.keys(sources).length).toBeGreaterThan(500);
  const written = Object.entries(sources)
    .filter(([, text]) => /\} (kg|kWh|kW|W|kV|V|mA|A|Hz|ms|m²)`/.test(text))
    .map(([file]) => file);
  expect(written).toEqual([]);
});

test('a number and its unit stay on one line', () => {
  const units = '%|s|min|h|d|kW|kWh|mA|A|V|W|MB|kB|с|мин|ч|дн|кВт|мА|В|МБ|кБ';
  const torn = new RegExp(`(\\d|\\}\\}) (${units})(?![\\p{L}\\d])`, 'u');
  /** 'с' is also a preposition. */
  const preposition = /^popups\.more_/;
  const texts = [...entriesOf(english), ...entriesOf(russian)].filter(([key]) => !preposition.test(key));
  expect(texts.filter(([, text]) => torn.test(text))).toEqual([]);
  const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx', '!../**/*.test.*'], {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  const written = Object.entries(sources)
    .filter(([, text]) => /\} \$\{(unitOf\(|unit[}(])/.test(text))
    .map(([file]) => file);
  expect(written).toEqual([]);
});
