import i18next, { type FormatterModule, type TFunction } from 'i18next';
import { useSyncExternalStore } from 'react';
import { initReactI18next } from 'react-i18next';
import { type Language, languageCookie, languageFrom, languages } from '#contract/languages.ts';
import { readCookie, writeCookie } from '#web/api/cookies.ts';
import { numberFormat } from './number.ts';

type Words = Record<string, object>;
/** Loads the words (and other language-dependent data) of one part of the console. */
export type WordSource = (language: Language) => Promise<Words>;

const sources = new Set<WordSource>();
const fetched = new Map<WordSource, Set<Language>>();

const bring = async (language: Language) => {
  await Promise.all(
    [...sources].map(async (source) => {
      const had = fetched.get(source) ?? new Set();
      if (had.has(language)) return;
      const words = await source(language);
      for (const [namespace, entries] of Object.entries(words))
        i18next.addResourceBundle(language, namespace, entries, true, true);
      fetched.set(source, had.add(language));
    }),
  );
};

export const currentLanguage = (): Language =>
  languages.find((language) => language === i18next.language) ?? 'zh-CN';

const onLanguage = (listener: () => void) => {
  i18next.on('languageChanged', listener);
  return () => i18next.off('languageChanged', listener);
};
/** For values without words. */
export const useLanguage = (): Language => useSyncExternalStore(onLanguage, currentLanguage);

const valueWords = new Map<Language, TFunction<'common'>>();
/** The words of values, which a table needs thousands of times: much cheaper than `useTranslation('common')`. */
export const useValueWords = (): TFunction<'common'> => {
  const language = useLanguage();
  const t = valueWords.get(language) ?? i18next.getFixedT(language, 'common');
  valueWords.set(language, t);
  return t;
};

const show = async (language: Language) => {
  // Parts that are opened meanwhile must use the language too.
  for (let known = -1; known !== sources.size; ) {
    known = sources.size;
    await bring(language);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
};

/** Interpolated numbers that are quantities. Others (numbers of lines, codes, years) are names. */
const quantities = new Set([
  'count',
  'total',
  'done',
  'most',
  'rows',
  'ended',
  'accepted',
  'verified',
  'checked',
]);
const numbers = new Map<string, (value: number) => string>();
/** Groups the digits of quantities within sentences, as the language does. */
const grouping: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format(value, _format, language = currentLanguage(), options) {
    if (typeof value !== 'number' || !quantities.has(options?.interpolationkey ?? '')) return value;
    const format = numbers.get(language) ?? numberFormat(language);
    numbers.set(language, format);
    return format(value);
  },
};

/** Starts with the saved language, else the browser's, else zh-CN. */
export const startLanguage = async (source: WordSource): Promise<void> => {
  const language = languageFrom(readCookie(languageCookie), navigator.languages.join(','));
  await i18next
    .use(initReactI18next)
    .use(grouping)
    .init({
      lng: language,
      resources: {},
      fallbackLng: false,
      defaultNS: 'common',
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: false },
    });
  await addWords(source);
  document.documentElement.lang = language;
};

export const addWords = async (source: WordSource): Promise<void> => {
  sources.add(source);
  await bring(currentLanguage());
};

export const setLanguage = async (language: Language): Promise<void> => {
  writeCookie(languageCookie, language);
  await show(language);
};
